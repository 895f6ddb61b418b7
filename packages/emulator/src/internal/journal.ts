/** What reached the service, and how it was answered. Holds no secret. */
import * as DateTime from "effect/DateTime"
import type { Counts, Received, TokenUse } from "../Received.ts"

/** A request under way. What is not known yet is filled in as it becomes known. */
export interface Entry {
  readonly sequence: number
  readonly at: number
  readonly method: string
  readonly path: string
  readonly operation: string | undefined
  /** Their names: values may be secrets. */
  readonly headers: ReadonlyArray<string>
  token: TokenUse | undefined
  /** In milliseconds, from its arrival to the end of its answer. */
  took: number | undefined
  status: number | undefined
  code: string | undefined
  fault: string | undefined
}

const publicOf = (entry: Entry): Received => ({
  sequence: entry.sequence,
  at: DateTime.makeUnsafe(entry.at),
  method: entry.method,
  path: entry.path,
  ...(entry.operation === undefined ? {} : { operation: entry.operation }),
  headers: entry.headers.toSorted(),
  ...(entry.token === undefined ? {} : { token: entry.token }),
  ...(entry.took === undefined ? {} : { took: entry.took }),
  ...(entry.status === undefined ? {} : { status: entry.status }),
  ...(entry.code === undefined ? {} : { code: entry.code }),
  ...(entry.fault === undefined ? {} : { fault: entry.fault })
})

export interface Journal {
  readonly arrived: (request: Pick<Entry, "at" | "method" | "path" | "operation" | "headers">) => Entry
  /** The exchange is over. */
  readonly ended: (entry: Entry) => void
  readonly received: (after: number) => ReadonlyArray<Received>
  readonly counts: (rotations: number) => Counts
  /** Tells of every exchange that ends, until it is called off. */
  readonly listen: (listener: (received: Received) => void) => () => void
}

const unrouted = "none"
const refresh = "authentication.refreshToken"

export const makeJournal = (limit: number): Journal => {
  let entries: Array<Entry> = []
  let sequence = 0
  let refreshes = 0
  const counts = new Map<string, Map<number, number>>()
  const listeners = new Set<(received: Received) => void>()
  return {
    arrived: (request) => {
      const entry: Entry = {
        ...request,
        sequence: ++sequence,
        token: undefined,
        took: undefined,
        status: undefined,
        code: undefined,
        fault: undefined
      }
      if (request.operation === refresh) refreshes++
      entries.push(entry)
      // Cut in bulk: shifting one by one would move the whole array each time.
      if (entries.length >= 1.25 * limit) entries = entries.slice(-limit)
      return entry
    },
    ended: (entry) => {
      const operation = entry.operation ?? unrouted
      const status = entry.status ?? 0
      let byStatus = counts.get(operation)
      if (byStatus === undefined) counts.set(operation, (byStatus = new Map<number, number>()))
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      if (listeners.size > 0) {
        const received = publicOf(entry)
        for (const listener of listeners) listener(received)
      }
    },
    received: (after) =>
      entries
        .slice(-limit)
        .filter((entry) => entry.sequence > after)
        .map(publicOf),
    counts: (rotations) => ({
      requests: sequence,
      refreshes,
      rotations,
      byOperation: Object.fromEntries(
        Array.from(counts, ([operation, byStatus]) => [operation, Object.fromEntries(byStatus)])
      )
    }),
    listen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}
