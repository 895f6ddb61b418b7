/**
 * Reads the history in which a transaction is looked for until it is complete; otherwise says why a row may be missing.
 * A row that is overlooked may be a payment that is made twice.
 */
import { format } from "@effect-custody/core/Amount"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Page from "@effect-custody/core/Page"
import { RequestInvalid } from "@effect-custody/core/SdkError"
import * as ServiceClock from "@effect-custody/core/ServiceClock"
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import type { Transaction } from "../Transaction.ts"
import type { FindOptions, ListError, ListInput, StreamError } from "../Transactions.ts"
import * as Comparison from "./comparison.ts"
import * as Note from "./note.ts"
import * as Parties from "./parties.ts"

/** The operation that lists transactions. */
interface List {
  (query: ListInput): Effect.Effect<Page.Page<Transaction>, ListError, CustodyClient>
  readonly operation: string
}

/** What to look for in the history, except the time. */
export type Sought = Omit<Comparison.Wanted, "createdAt">

/** How often a history whose rows move is read at most. */
const mostReads = 4

/** How many rows of a history are read at most: all of them are kept until the last. */
const mostRows = 100_000

const tooLong = `it has more than ${mostRows} rows: look with a shorter window`

/** A key that is different for different rows. Two rows may have one id, and only one of them the note. */
const rowKey = (row: Transaction): string =>
  [row.id, row.type, row.amount === undefined ? "" : format(row.amount), row.to, ...Note.textsOf(row)].join("\n")

/** Whether a row is on two pages: rows have moved while the pages were read, so another row may be on none. */
const hasMoved = (pages: ReadonlyArray<ReadonlyArray<Transaction>>): boolean => {
  const keys = pages.flatMap((rows) => [...new Set(rows.map(rowKey))])
  return new Set(keys).size < keys.length
}

/** The rows of the history, by pages. */
const pagesOf = (
  list: List,
  query: ListInput
): Effect.Effect<ReadonlyArray<ReadonlyArray<Transaction>>, StreamError, CustodyClient> =>
  Effect.suspend(() => {
    let rows = 0
    return Page.pages(list, query).pipe(
      Stream.mapEffect(({ items }, at) => {
        rows += items.length
        return rows > mostRows
          ? Effect.fail(new Page.PagesIncomplete({ operation: list.operation, page: at + 1, reason: tooLong }))
          : Effect.succeed(items)
      }),
      Stream.runCollect
    )
  }).pipe(
    // Its rows moved, or its counts are wrong.
    Effect.retry({ times: 1, while: (error) => error._tag === "PagesIncomplete" && error.reason !== tooLong })
  )

interface History {
  readonly rows: ReadonlyArray<Transaction>
  /** Why a row may be missing. */
  readonly doubt?: Page.PagesIncomplete
}

/**
 * The transactions that a query returns. Rows that move between the pages while they are read may be missed: a history
 * of several pages is read until a read shows no new row and no row on two pages, or a row with the note.
 */
const read = Effect.fnUntraced(function* (list: List, query: ListInput, sought: Sought) {
  const { note } = sought
  const isOurs = (row: Transaction) =>
    note !== undefined &&
    Note.textsOf(row).some((shown) => Note.isSame(note, shown)) &&
    !Parties.isAnothers(Parties.compare(sought, row))
  const seen = new Map<string, Transaction>()
  for (let reads = 1; ; reads++) {
    const before = seen.size
    const pages = yield* pagesOf(list, query)
    const rows = pages.flat()
    for (const row of rows) seen.set(rowKey(row), row)
    const history: History = { rows: [...seen.values()] }
    const isWhole = pages.length === 1 || (reads > 1 && seen.size === before)
    if ((isWhole && !hasMoved(pages)) || rows.some(isOurs)) return history
    if (reads === mostReads) {
      const reason = `its rows moved while it was read ${mostReads} times`
      const doubt = new Page.PagesIncomplete({ operation: list.operation, page: pages.length, reason })
      return isWhole ? { ...history, doubt } : yield* doubt
    }
  }
})

/** By how much two clocks may differ: a time that is further in the future is refused. */
const mostSkew = Duration.minutes(30)

/** The tolerance when times are compared: a `Date` header and a `createdAt` may be in whole seconds. */
const exactness = Duration.seconds(2)

/** How many rows are compared before other fibers may run: long notes take a while. */
const rowsAtOnce = 200

/** What rows say about the transaction that is looked for. */
const decided = Effect.fnUntraced(function* (
  wanted: Comparison.Wanted,
  { doubt, rows }: History,
  further: ReadonlyArray<"assetId"> = []
) {
  const compare = Comparison.comparing(wanted)
  const candidates = yield* Effect.forEach(Arr.chunksOf(rows, rowsAtOnce), (chunk) =>
    Effect.as(Effect.yieldNow, compare(chunk))
  )
  const result = Comparison.decide(wanted, candidates.flat(), further)
  return result._tag === "NotFoundSoFar" && doubt !== undefined ? yield* doubt : result
})

/** What the history of a client says about a transaction, from a time before the call by the service's clock. */
export const lookedUp = Effect.fnUntraced(function* (
  list: List,
  sought: Sought,
  { limit = 100, since: called, window = "26 hours" }: FindOptions
) {
  const { assetId, clientId } = sought
  const margin = Duration.fromInputUnsafe(window)
  const tolerated = Duration.min(mostSkew, Duration.divideUnsafe(margin, 2))
  const clockAhead = yield* Ref.make(Duration.zero)
  const earliest = DateTime.subtractDuration(called, margin)
  const query = { clientId, assetId, from: earliest, limit }
  const history = yield* Effect.provideService(read(list, query, sought), ServiceClock.Ahead, clockAhead)
  const ahead = yield* Ref.get(clockAhead)
  const now = yield* DateTime.now
  const latest = DateTime.max(now, DateTime.subtractDuration(now, ahead))
  if (DateTime.isGreaterThan(called, DateTime.addDuration(latest, tolerated))) {
    const message = `is ${Duration.format(DateTime.distance(latest, called))} in the future: the clock that it was taken from was ahead. Call Transactions.find with an earlier time`
    return yield* new RequestInvalid({ operation: "transactions.find", issues: [{ path: ["since"], message }] })
  }
  const createdAt = DateTime.subtractDuration(DateTime.subtractDuration(called, ahead), exactness)
  const wanted = { ...sought, createdAt }
  const isLate = Duration.isGreaterThan(ahead, tolerated)
  const from = isLate ? DateTime.subtractDuration(earliest, ahead) : earliest
  const ofAsset = yield* decided(wanted, isLate ? yield* read(list, { ...query, from }, sought) : history)
  if (ofAsset._tag !== "NotFoundSoFar") return ofAsset
  // The service may show the asset by another name.
  return yield* decided(wanted, yield* read(list, { clientId, from, limit }, sought), ["assetId"])
})
