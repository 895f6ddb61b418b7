/** The history of a run, and the holds that follow from it. Pure. */
import type { TimedMessage } from "./protocol.ts"

/** A message of a worker, or a kill, a freeze or a resumption of it. */
export type Entry = (
  | Exclude<TimedMessage, { readonly what: "read" | "call" }>
  | { readonly what: "killed" | "stopped" | "resumed"; readonly at: number }
) & { readonly worker: string }

/**
 * A worker's turn at a session, from its claim of a generation. `killed`: before its end was stored. `paused`: frozen for
 * longer than its lease, whatever happened afterwards.
 */
export interface Hold {
  readonly worker: string
  readonly identity: string
  readonly generation: number
  /** The time of the stored claim, if the worker could still report it. */
  claimedAt: number | undefined
  writtenAt: number
  /** The number of times that it sent the secret. A certainly unused API key counts as unsent. */
  sends: number
  /** `true` if it reported that an API key it had sent was certainly not used. */
  isWithdrawn: boolean
  /** The times of the first send and of the stored result. */
  sentAt: number | undefined
  endedAt: number | undefined
  /** `true` if it stored the session from the service's answer. */
  hasStored: boolean
  isOver: boolean
  /** `true` if it was frozen between sending and storing. */
  wasFrozenSending: boolean
  wasKilled: boolean
  fate: "kept" | "killed" | "paused"
  /** The time from which it could not continue. */
  lostAt: number | undefined
}

/** Finds the holds of a history in the order of their claims. */
export const findHolds = (history: ReadonlyArray<Entry>, leaseMillis: number): ReadonlyArray<Hold> => {
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
          // A worker frozen past its lease had already lost the lease.
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
        // A message that a killed worker had already sent still counts.
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
