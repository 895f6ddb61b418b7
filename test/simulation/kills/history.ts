/** What happened, in the order in which it did, and what follows from it: who held which session, and what became of them. Pure. */
import type { Said } from "./protocol.ts"

/** Something that a worker said, or that was done to it. */
export type Entry = (
  | Exclude<Said, { readonly what: "read" }>
  | { readonly what: "killed" | "stopped" | "resumed"; readonly at: number }
) & { readonly worker: string }

/**
 * A worker's turn at a session: from when it began to claim a generation. `killed`: before its end was stored;
 * `paused`: frozen for longer than its lease, whatever happened afterwards.
 */
export interface Hold {
  readonly worker: string
  readonly identity: string
  readonly generation: number
  /** When its claim was stored, if it could still report that. */
  claimedAt: number | undefined
  writtenAt: number
  /** How often its secret was sent. An API key that was certainly not used counts as not sent. */
  sends: number
  /** Whether it said of an API key that it had sent that the key was certainly not used. */
  isWithdrawn: boolean
  /** When its secret was first sent, and when the result was stored. */
  sentAt: number | undefined
  endedAt: number | undefined
  /** Whether it stored the session that the service gave for its secret. */
  hasStored: boolean
  isOver: boolean
  /** Whether it was frozen after its secret had left, and before its end was stored. */
  wasFrozenSending: boolean
  wasKilled: boolean
  fate: "kept" | "killed" | "paused"
  /** Since when it could no longer continue. */
  lostAt: number | undefined
}

/** The holds of a history, in the order of their claims. */
export const holdsOf = (history: ReadonlyArray<Entry>, leaseMillis: number): ReadonlyArray<Hold> => {
  const all: Array<Hold> = []
  const latest = new Map<string, Map<string, Hold>>()
  const stoppedAt = new Map<string, number>()
  const open = (worker: string) => [...(latest.get(worker)?.values() ?? [])].filter(({ isOver }) => !isOver)

  for (const entry of history.toSorted((a, b) => a.at - b.at)) {
    const { at, worker } = entry
    switch (entry.what) {
      case "claims": {
        const { generation, identity } = entry
        const hold: Hold = {
          worker,
          identity,
          generation,
          claimedAt: undefined,
          writtenAt: at,
          sends: 0,
          isWithdrawn: false,
          sentAt: undefined,
          endedAt: undefined,
          hasStored: false,
          isOver: false,
          wasFrozenSending: false,
          wasKilled: false,
          fate: "kept",
          lostAt: undefined
        }
        all.push(hold)
        latest.set(worker, (latest.get(worker) ?? new Map<string, Hold>()).set(identity, hold))
        break
      }
      case "stopped":
        stoppedAt.set(worker, at)
        break
      case "resumed":
        for (const hold of open(worker)) {
          if (at - hold.writtenAt < leaseMillis) {
            hold.wasFrozenSending ||= hold.sends > 0
            continue
          }
          hold.fate = "paused"
          hold.lostAt ??= stoppedAt.get(worker)
        }
        stoppedAt.delete(worker)
        break
      case "killed":
        for (const hold of open(worker)) {
          hold.isOver = true
          hold.wasKilled = true
          // A worker that was frozen past its lease had already lost it.
          if (hold.fate === "paused") continue
          hold.fate = "killed"
          hold.lostAt = stoppedAt.get(worker) ?? at
        }
        break
      case "claimed":
      case "renewed":
      case "yields":
      case "sends":
      case "stored":
      case "ended":
      case "released":
      case "withdrawn":
      case "adopted": {
        const hold = latest.get(worker)?.get(entry.identity)
        if (hold === undefined) break
        // A message that was on its way when the worker was killed still counts.
        if (entry.what === "sends") {
          hold.sends++
          hold.sentAt ??= at
        } else if (entry.what === "claimed") hold.claimedAt = hold.writtenAt = at
        else if (entry.what === "renewed") hold.writtenAt = at
        else if (entry.what !== "adopted" || entry.generation > hold.generation) {
          hold.isOver = true
          hold.endedAt ??= at
          hold.hasStored ||= entry.what === "stored"
          if (entry.what === "withdrawn") {
            hold.sends = 0
            hold.isWithdrawn = true
          }
        }
      }
    }
  }
  return all
}
