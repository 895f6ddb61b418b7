/** One pass of a feed over the history. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { Transaction } from "@effect-custody/transactions"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../database/database.ts"
import { holdLease, readerOf } from "../database/leases.ts"
import { stepAfterStatus } from "../history/historyOutcome.ts"
import * as Pace from "../history/pace.ts"
import { readForward } from "../history/readHistory.ts"
import * as Rows from "./seen.ts"

/**
 * A transaction that is new, or whose status has changed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Change {
  readonly transaction: Transaction
  /** The status that the handler saw last; `undefined` if it has not seen the transaction. */
  readonly previousStatus: string | undefined
}

/**
 * What a feed does with a change.
 *
 * @since 0.1.0
 * @category models
 */
export type Handler<E, R> = (change: Change) => Effect.Effect<void, E, R>

export interface Settings {
  readonly name: string
  readonly reader: string
  /** What was made before is not handled; in milliseconds. */
  readonly from: number
  /** How far back a long pass reads, in milliseconds. */
  readonly overlap: number
}

/** Wraps the error of a handler, which ends the feed. */
export class HandlerFailed<E> {
  readonly _tag = "HandlerFailed"
  readonly error: E
  constructor(error: E) {
    this.error = error
  }
}

/** A short pass reads back so far. */
const margin = 15 * 60_000

/** The newest transaction that was seen shows that a filter by time works, so a pass begins a little before it. */
const beforeNewest = 60_000

/** The maximum number of transactions that are read one by one in a pass. */
const maxSingle = 50

export type PassError<E> = Transactions.StreamError | Transactions.GetError | SqlError | HandlerFailed<E>

const createdAt = ({ createdAt: time }: Transaction): number | undefined =>
  time === undefined ? undefined : DateTime.toEpochMillis(time)

/** What a pass needs. */
export interface Pass<E, R> {
  readonly database: Database
  readonly settings: Settings
  readonly pace: Pace.Pace
  readonly handler: Handler<E, R>
}

/** Handles those of some transactions that are new or have changed. Returns their number. */
const handleAll = Effect.fnUntraced(function* <E, R>(
  { database, handler, settings: { from, name } }: Pass<E, R>,
  transactions: ReadonlyArray<Transaction>,
  now: number
): Effect.fn.Return<number, SqlError | HandlerFailed<E>, R> {
  const known = yield* Rows.seen(
    database,
    name,
    transactions.map(({ id }) => id)
  )
  let handled = 0
  const unchanged: Array<string> = []
  for (const transaction of transactions) {
    const { id, status } = transaction
    const madeAt = createdAt(transaction)
    const isFinal = stepAfterStatus(status) !== undefined
    if (madeAt !== undefined && madeAt < from) continue
    if (known.get(id) === status) {
      if (!isFinal) unchanged.push(id)
      continue
    }
    const sight = { transactionId: id, status, isFinal, createdAt: madeAt ?? now }
    const change = handler({ transaction, previousStatus: known.get(id) })
    const failing = Effect.mapError(change, (error) => new HandlerFailed(error))
    if (yield* Rows.handle(database, name, sight, failing)) handled++
  }
  yield* Rows.postpone(database, name, unchanged, now)
  return handled
})

/**
 * Reads the history forwards, from before what was read last. A long pass also reads what appeared late: everything from
 * the overlap on. Returns the number of changes, or `undefined` if another process reads this feed.
 */
export const run = Effect.fnUntraced(function* <E, R>(
  pass: Pass<E, R>,
  isLong: boolean
): Effect.fn.Return<number | undefined, PassError<E>, CustodyClient | R> {
  const {
    database,
    pace,
    settings: { from, name, overlap, reader }
  } = pass
  if (!(yield* holdLease(database, readerOf(name), reader))) return undefined
  const { newest, now, readUntil } = yield* Rows.position(database, name)
  const back = isLong ? overlap : margin
  const start =
    readUntil === undefined || newest === undefined
      ? from
      : Math.max(from, Math.min(readUntil - back, newest - beforeNewest))
  let handled = 0
  yield* readForward(
    Pace.list(pace),
    start,
    Effect.fnUntraced(function* (items) {
      yield* holdLease(database, readerOf(name), reader)
      handled += yield* handleAll(pass, items, now)
    })
  )
  for (const transactionId of yield* Rows.open(database, name, { before: start, limit: maxSingle, now })) {
    const single = Pace.read(pace, Transactions.get({ transactionId }))
    const found = yield* Effect.catchTag(Effect.asSome(single), "NotFound", () => Effect.succeedNone)
    if (Option.isSome(found)) handled += yield* handleAll(pass, [found.value], now)
    else yield* Rows.postpone(database, name, [transactionId], now)
  }
  yield* Rows.advance(database, name, now)
  return handled
})
