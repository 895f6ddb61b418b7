/** The requests that reached the service, and their answers. The journal holds no secrets. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { Counts, Received } from "../model/Received.ts"

/** One request. Fields that are absent at first are set when they become known. */
export type Entry = { -readonly [K in keyof Received]: Received[K] }

export interface RequestJournal {
  /** Adds a request. Keeps only the names of its headers. */
  readonly begin: (request: {
    readonly at: number
    readonly method: string
    readonly path: string
    readonly operation: string | undefined
    readonly headers: object
  }) => Entry
  /** Counts a request by its final status, and publishes its entry. */
  readonly end: (entry: Entry) => void
  /** Each request when its exchange has ended, from now on. */
  readonly ended: Stream.Stream<Received>
  /** The newest requests, oldest first. */
  readonly received: () => ReadonlyArray<Received>
  readonly counts: (rotations: number) => Counts
}

/** The maximum number of requests that the journal keeps. It keeps the newest. */
const maxEntries = 100_000

/** The limits of an entry: the number of characters of its path, and the number of its header names. */
const maxPath = 2_048
const maxHeaders = 64

/** How many ended requests wait for a slow reader. */
const maxWaiting = 10_000

export const makeRequestJournal = Effect.fnUntraced(function* (): Effect.fn.Return<RequestJournal> {
  const ended = yield* PubSub.sliding<Received>(maxWaiting)
  let entries: Array<Entry> = []
  let sequence = 0
  let refreshes = 0
  const byOperation: Record<string, Record<string, number>> = {}
  return {
    begin: ({ at, headers, method, operation, path }) => {
      const entry: Entry = {
        sequence: ++sequence,
        at: DateTime.makeUnsafe(at),
        method,
        path: path.length <= maxPath ? path : `${path.slice(0, maxPath)}…`,
        ...(operation === undefined ? {} : { operation }),
        headers: Object.keys(headers).toSorted().slice(0, maxHeaders)
      }
      if (operation === "authentication.refreshToken") refreshes++
      entries.push(entry)
      // Trim in bulk, because removing entries one by one would move the whole array each time.
      if (entries.length >= 1.25 * maxEntries) entries = entries.slice(-maxEntries)
      return entry
    },
    end: (entry) => {
      const byStatus = (byOperation[entry.operation ?? "none"] ??= {})
      const status = entry.status ?? 0
      byStatus[status] = (byStatus[status] ?? 0) + 1
      PubSub.publishUnsafe(ended, { ...entry })
    },
    ended: Stream.fromPubSub(ended),
    received: () => entries.slice(-maxEntries).map((entry) => ({ ...entry })),
    counts: (rotations) => ({ requests: sequence, refreshes, rotations, byOperation: structuredClone(byOperation) })
  }
})
