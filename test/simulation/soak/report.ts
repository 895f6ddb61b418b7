/** Makes the table of a soak. Pure. */
import type { Call } from "../kills/protocol.ts"
import type { Entry } from "../kills/history.ts"

export type TimedCall = Call & { readonly at: number }

interface Interval {
  readonly from: number
  readonly to: number
}

/** The times in which a process refreshed a session: from its claim until new tokens were stored. */
const findRotations = (history: ReadonlyArray<Entry>): ReadonlyMap<string, ReadonlyArray<Interval>> => {
  const rotations = new Map<string, Array<Interval>>()
  const claims = new Map<string, number>()
  for (const entry of history.toSorted((a, b) => a.at - b.at)) {
    if (entry.what === "claims") claims.set(`${entry.worker} ${entry.identity}`, entry.at)
    if (entry.what !== "stored") continue
    const from = claims.get(`${entry.worker} ${entry.identity}`)
    if (from === undefined) continue
    const all = rotations.get(entry.identity) ?? []
    rotations.set(entry.identity, [...all, { from, to: entry.at }])
  }
  return rotations
}

const formatMillis = (sorted: ReadonlyArray<number>): string => {
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return [`p50 ${at(0.5).toFixed(0)}`, `p99 ${at(0.99).toFixed(0)}`, `max ${at(1).toFixed(0)}`].join(", ")
}

const latencies = (calls: ReadonlyArray<TimedCall>) => calls.map(({ at, began }) => at - began).sort((a, b) => a - b)

/** The rows about calls: their number, their failures by tag, and how long they took. */
export const callRows = (
  calls: ReadonlyArray<TimedCall>,
  history: ReadonlyArray<Entry>
): ReadonlyArray<readonly [name: string, value: string]> => {
  const failures = calls.filter(({ tag }) => tag !== "ok")
  const rotations = findRotations(history)
  const isAtRotation = ({ at, began, identity }: TimedCall) =>
    (rotations.get(identity) ?? []).some(({ from, to }) => began <= to && at >= from)
  const atRotation = calls.filter(isAtRotation)
  return [
    ["calls", `${calls.length}, ${failures.length} failed`],
    ...[...Map.groupBy(failures, ({ tag }) => tag)].map(([tag, all]) => [`  with ${tag}`, `${all.length}`] as const),
    ["latency of a call in ms", formatMillis(latencies(calls))],
    [`  at a rotation (${atRotation.length} calls)`, formatMillis(latencies(atRotation))]
  ]
}
