/** Reads the service's history: at the pace that the service allows, page by page, or in search of payouts. */
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Page from "@effect-custody/core/Page"
import type { InputInvalid } from "@effect-custody/core/SdkError"
import type { Transaction } from "@effect-custody/transactions"
import * as HistorySearch from "@effect-custody/transactions/siblings/HistorySearch"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { SqlError } from "effect/sql/SqlError"
import { type Database, findNote, maxPause, type RowError, wellFormed } from "./database.ts"
import { candidatesOf, decideSearch, judgeSearch, type SearchVerdict } from "./evidence.ts"
import { findKnown } from "./foreign.ts"
import type { Ledger } from "./ledger.ts"
import * as PayoutRows from "./payoutRows.ts"
import type { Move } from "./settle.ts"

/** In milliseconds. */
const firstPageWait = 250

/** What waits between two pages: nothing, until the service answers 429. */
export interface Pace {
  pause: number
}

export const makePace = (): Pace => ({ pause: 0 })

/** After a 429 the pause doubles, and each page that is read shortens it. */
export const paced = <A, E extends { readonly _tag: string }, R>(
  pace: Pace,
  page: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => (pace.pause === 0 ? page : Effect.delay(page, Duration.millis(pace.pause)))).pipe(
    Effect.tap(() =>
      Effect.sync(() => {
        pace.pause = pace.pause < firstPageWait ? 0 : pace.pause * 0.9
      })
    ),
    Effect.retry({
      while: (error) => {
        if (error._tag !== "RateLimited") return false
        pace.pause = Math.min(Math.max(firstPageWait, pace.pause * 2), maxPause)
        return true
      }
    })
  )

/** A row whose texts every database takes. They are mended here, where they come in, so that equal texts stay equal. */
const wellFormedRow = (row: Transaction): Transaction => {
  const mended = Object.entries(row).filter(([, value]) => typeof value === "string" && value !== wellFormed(value))
  if (mended.length === 0) return row
  const changes = Object.fromEntries(mended.map(([name, value]) => [name, wellFormed(String(value))]))
  return Object.assign(Object.create(Object.getPrototypeOf(row)), row, changes)
}

/** Reads one transaction. */
export const get = (transactionId: string): Effect.Effect<Transaction, Transactions.GetError, CustodyClient> =>
  Effect.map(Transactions.get({ transactionId }), wellFormedRow)

export const listPaced =
  (pace: Pace) =>
  (
    query: Transactions.ListInput
  ): Effect.Effect<Effect.Success<ReturnType<typeof Transactions.list>>, Transactions.ListError, CustodyClient> =>
    Effect.map(paced(pace, Transactions.list(query)), (page) => ({ ...page, items: page.items.map(wellFormedRow) }))

/** Reads one transaction, if the service has it. */
export const readOne = (pace: Pace, transactionId: string) =>
  paced(pace, get(transactionId)).pipe(
    Effect.map(Result.succeed),
    Effect.catchTag("NotFound", (error) => Effect.succeed(Result.fail(error)))
  )

// The history page by page, in an order if the service sorts.

/** Reads a page of the history. */
export type List = (
  query: Transactions.ListInput
) => Effect.Effect<Effect.Success<ReturnType<typeof Transactions.list>>, Transactions.ListError, CustodyClient>

type Order = NonNullable<Transactions.ListInput["order"]>

/** The fields of the history's query that the contract does not send: without them, it is read as the service gives it. */
const omitted = Effect.map(CustodyClient.factsOf(Transactions.list), ({ omits }) => omits)

/** `false` if the contract says that the service does not sort the history. */
export const isSorted = Effect.map(omitted, (names) => !names.includes("order"))

const readPages =
  (order: Order) =>
  <E, R>(
    list: List,
    from: number,
    onPage: (rows: ReadonlyArray<Transaction>) => Effect.Effect<boolean, E, R>
  ): Effect.Effect<void, Transactions.StreamError | E, CustodyClient | R> =>
    Effect.gen(function* () {
      let count = 0
      const names = yield* omitted
      const always = Struct.omit({ order, limit: 100 } as Record<string, unknown>, names)
      const pages = (query: Transactions.ListInput) =>
        Page.pages(list, { ...always, ...query }).pipe(
          Stream.mapEffect(({ items }) => {
            count += items.length
            return items.length === 0 ? Effect.succeed(true) : onPage(items)
          }),
          Stream.takeUntil((goesOn) => !goesOn),
          Stream.runDrain
        )
      if (from > 0 && !names.includes("from")) yield* pages({ from: DateTime.makeUnsafe(from) })
      if (count === 0) yield* pages({})
    })

/**
 * Reads the history since a time in milliseconds, page by page, oldest first if the service sorts. No rows since that time prove nothing, because
 * the service may understand the time in a different way: then reads the whole history.
 */
export const readForward = <E, R>(
  list: List,
  from: number,
  onPage: (rows: ReadonlyArray<Transaction>) => Effect.Effect<void, E, R>
): Effect.Effect<void, Transactions.StreamError | E, CustodyClient | R> =>
  readPages("asc")(list, from, (rows) => Effect.as(onPage(rows), true))

/**
 * Reads the history as {@link readForward} does, but newest first, and ends when `onPage` returns `false`. A new row moves
 * others to a later page, so the read misses none, also in the order of the service.
 */
export const readBackward = readPages("desc")

// How far a new ledger has read the history before its first payout. A process that starts again goes on from there.

/**
 * How far a new ledger has read the history.
 *
 * @since 0.1.0
 * @category models
 */
export const Reading = Schema.Struct({
  /** From when it is read; `null` means all of it. */
  from: Schema.NullOr(Schema.DateTimeUtcFromMillis),
  /** The time of the newest row so far; `null` before the first one. */
  at: Schema.NullOr(Schema.DateTimeUtcFromMillis),
  /** The time of the oldest row so far; `null` before the first one. */
  back: Schema.NullOr(Schema.DateTimeUtcFromMillis),
  /** The number of rows so far. */
  rows: Schema.Int,
  /** `true` once it has read to the end. */
  isDone: Schema.Boolean
})
export type Reading = typeof Reading.Type

const decodeReading = Schema.decodeOption(Schema.fromJsonString(Reading))
const encodeReading = Schema.encodeEffect(Schema.fromJsonString(Reading))

/** `null` if the ledger has begun to read none. */
export const findReading = (database: Database): Effect.Effect<Reading | null, SqlError> =>
  Effect.map(findNote(database, "history"), (value) => Option.getOrNull(decodeReading(value)))

/** Keeps how far the history is read. */
export const keepReading = ({ sql }: Database, reading: Reading): Effect.Effect<void, SqlError> =>
  Effect.flatMap(Effect.orDie(encodeReading(reading)), (value) =>
    Effect.asVoid(sql`UPDATE payout_meta SET value = ${value} WHERE name = 'history'`)
  )

/** Where a reading that was cut off goes on: its rows came in the order of their times. In milliseconds. */
export const resumeAt = (reading: Reading | null, from: number, clockSkew: number): number =>
  reading === null || reading.at === null || (reading.from === null ? 0 : DateTime.toEpochMillis(reading.from)) > from
    ? from
    : Math.max(from, DateTime.toEpochMillis(reading.at) - clockSkew)

// A search of the whole history for payouts that it should show by now.

/** What a search says about each payout. */
export type Searched = ReadonlyArray<SearchVerdict & { readonly payout: PayoutRows.Followed }>

/** Searches the history once for all of some payouts: since their first attempts, or since their last ones. */
export const search = (
  { database, settings }: Ledger,
  payouts: ReadonlyArray<PayoutRows.Followed>,
  since: "first" | "last" = "first",
  read: HistorySearch.List["read"] = listPaced(makePace())
): Effect.Effect<Searched, Transactions.ListError | InputInvalid | RowError, CustodyClient> =>
  Effect.gen(function* () {
    const references = payouts.map(({ reference }) => reference)
    const claims =
      since === "last" ? new Map<string, number>() : yield* PayoutRows.findFirstClaims(database, references)
    const known = yield* findKnown(database, payouts)
    const results = yield* HistorySearch.findEach(
      { endpoint: Transactions.list, read },
      payouts.map((payout) => ({
        wanted: PayoutRows.inputOf(payout),
        decide: decideSearch(payout, known),
        since: DateTime.makeUnsafe(
          Math.min(claims.get(payout.reference) ?? payout.intentAt ?? 0, payout.searchedFrom ?? Infinity)
        )
      })),
      { clockSkew: Duration.millis(settings.clockSkew) }
    )
    const candidates = results.flatMap((result) => (Result.isSuccess(result) ? candidatesOf(result.success) : []))
    const ids = new Set(candidates.map(({ transaction }) => transaction.id as string))
    // What this search finds is the transaction of its payout from now on.
    const found = results.flatMap((result, at): ReadonlyArray<readonly [string, string]> =>
      Result.isSuccess(result) && result.success._tag === "Found"
        ? [[result.success.transaction.id, payouts[at]!.reference]]
        : []
    )
    const owners = new Map([...found, ...(yield* PayoutRows.findOwners(database, [...ids]))])
    return payouts.map((payout, at) => ({ payout, ...judgeSearch(payout, results[at]!, (id) => owners.get(id)) }))
  })

/** The steps of the payouts that a search has found. */
export const foundBy = (searched: Searched): ReadonlyArray<Move> =>
  searched.flatMap(({ move }) => (move.step === "found" ? [move] : []))
