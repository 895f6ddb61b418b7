/** The requests that reached the service, and their answers. The journal holds no secrets. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { Counts, Received } from "../model/Received.ts"

/** One request. Fields that are absent at first are set when they become known. */
export type Entry = { -readonly [K in keyof Received]: Received[K] }

export interface RequestJournal {
  /** Adds a request. Keeps only the names of its headers, and hides the emulator's secrets in its query and its body. */
  readonly begin: (request: {
    readonly at: number
    readonly method: string
    readonly path: string
    readonly query: string
    readonly body: string
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

/** The limits of an entry: the number of characters of each text, and the number of its header names. */
const maxText = 2_048
const maxHeaders = 64

/** The number of the newest entries that keep their queries and bodies. */
const maxBodies = 1_000

const shorten = (text: string): string => (text.length <= maxText ? text : `${text.slice(0, maxText)}…`)

/** Shortens a text, and hides the keys and tokens that an emulator issues. */
const shown = (name: "query" | "body", text: string) =>
  text === "" ? {} : { [name]: shorten(text.replaceAll(/(?:ak|at|rt)_\w+/g, "<redacted>")) }

/** How many ended requests wait for a slow reader. */
const maxWaiting = 10_000

export const makeRequestJournal = Effect.fnUntraced(function* (): Effect.fn.Return<RequestJournal> {
  const ended = yield* PubSub.sliding<Received>(maxWaiting)
  let entries: Array<Entry> = []
  let sequence = 0
  let refreshes = 0
  const byOperation: Record<string, Record<string, number>> = {}
  return {
    begin: ({ at, body, headers, method, operation, path, query }) => {
      const entry: Entry = {
        sequence: ++sequence,
        at: DateTime.makeUnsafe(at),
        method,
        path: shorten(path),
        ...shown("query", query),
        ...shown("body", body),
        ...(operation === undefined ? {} : { operation }),
        headers: Object.keys(headers).toSorted().slice(0, maxHeaders)
      }
      if (operation === "authentication.refreshToken") refreshes++
      entries.push(entry)
      const old = entries.at(-1 - maxBodies)
      if (old !== undefined) {
        delete old.query
        delete old.body
      }
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
