/** The requests that reached the service, and how it answered. Holds no secrets. */
import * as DateTime from "effect/DateTime"
import type { Counts, Received, TokenUse } from "../../Received.ts"

/** One request. Its mutable fields are set as they become known. */
export interface Entry {
  readonly sequence: number
  readonly at: number
  readonly method: string
  readonly path: string
  readonly operation: string | undefined
  /** Names only: values may be secrets. */
  readonly headers: ReadonlyArray<string>
  token: TokenUse | undefined
  /** Milliseconds from the request's arrival to the end of its answer. */
  took: number | undefined
  status: number | undefined
  code: string | undefined
  fault: string | undefined
}

const receivedOf = (entry: Entry): Received => ({
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

export interface RequestJournal {
  /** Adds a request. */
  readonly begin: (request: Pick<Entry, "at" | "method" | "path" | "operation" | "headers">) => Entry
  /** Counts a request by its final status, and notifies the subscribers. */
  readonly end: (entry: Entry) => void
  readonly received: (after: number) => ReadonlyArray<Received>
  readonly counts: (rotations: number) => Counts
  /** Calls back for every request that ends. Returns the function that unsubscribes. */
  readonly subscribe: (subscriber: (received: Received) => void) => () => void
}

/** What one request may keep, in characters: enough for every request of the API. */
const maxPath = 2_048
const maxHeaders = 64
const maxHeaderName = 128

/** What all requests may keep together, in characters. */
const maxTotal = 32 * 1024 * 1024

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A copy: a part of a string would keep the whole of it in memory. */
const truncate = (text: string, length: number): string =>
  decoder.decode(encoder.encode(text.length <= length ? text : `${text.slice(0, length)}…`))

const sizeOf = ({ headers, path }: Entry): number => headers.reduce((sum, name) => sum + name.length, path.length) + 256

const noOperation = "none"
const refresh = "authentication.refreshToken"

export const makeRequestJournal = (limit: number): RequestJournal => {
  let entries: Array<Entry> = []
  let size = 0
  let sequence = 0
  let refreshes = 0
  const counts = new Map<string, Map<number, number>>()
  const subscribers = new Set<(received: Received) => void>()
  const trim = (): void => {
    let first = Math.max(0, entries.length - limit)
    size = entries.slice(first).reduce((sum, entry) => sum + sizeOf(entry), 0)
    for (; size > maxTotal; first++) size -= sizeOf(entries[first]!)
    entries = entries.slice(first)
  }
  return {
    begin: (request) => {
      const entry: Entry = {
        ...request,
        path: truncate(request.path, maxPath),
        headers: request.headers.slice(0, maxHeaders).map((name) => truncate(name, maxHeaderName)),
        sequence: ++sequence,
        token: undefined,
        took: undefined,
        status: undefined,
        code: undefined,
        fault: undefined
      }
      if (request.operation === refresh) refreshes++
      entries.push(entry)
      size += sizeOf(entry)
      // Trimmed in bulk: shifting one by one would move the whole array each time.
      if (entries.length >= 1.25 * limit || size >= 1.25 * maxTotal) trim()
      return entry
    },
    end: (entry) => {
      const operation = entry.operation ?? noOperation
      const status = entry.status ?? 0
      let byStatus = counts.get(operation)
      if (byStatus === undefined) counts.set(operation, (byStatus = new Map<number, number>()))
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      if (subscribers.size > 0) {
        const received = receivedOf(entry)
        for (const subscriber of subscribers) subscriber(received)
      }
    },
    received: (after) =>
      entries
        .slice(-limit)
        .filter((entry) => entry.sequence > after)
        .map(receivedOf),
    counts: (rotations) => ({
      requests: sequence,
      refreshes,
      rotations,
      byOperation: Object.fromEntries(
        Array.from(counts, ([operation, byStatus]) => [operation, Object.fromEntries(byStatus)])
      )
    }),
    subscribe: (subscriber) => {
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    }
  }
}
