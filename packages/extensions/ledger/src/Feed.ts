/**
 * What happens in the vault, forwards from a durable cursor: incoming money, and changes of status.
 *
 * Specification: "Endpoint categories", Transactions. The service reports nothing by itself, so a feed reads the history.
 *
 * @since 0.1.0
 */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { Transaction } from "@effect-custody/transactions"
import type * as Transactions from "@effect-custody/transactions/Transactions"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { SqlError } from "effect/sql/SqlError"
import { type Database, dropLease, durably, explain, holdLease, readerOf, reporting } from "./database.ts"
import { isLasting, type LastingError, stepAfterStatus } from "./evidence.ts"
import * as History from "./history.ts"
import { millis } from "./ledger.ts"
import type { LedgerError } from "./LedgerError.ts"
import { named } from "./metrics.ts"

/**
 * The feeds of a ledger, which `Payouts.layer` makes.
 *
 * @since 0.1.0
 * @category services
 * @effect-expect-leaking CustodyClient
 */
export class Feed extends Context.Service<Feed, Service>()("@effect-custody/ledger/Feed") {
  /** Makes the feeds of a database. */
  static readonly make = (database: Database): Service => ({ readOnce: readsOnce(database), run: runs(database) })
}

/**
 * Reads the whole overlap once, and what is newer, and returns the number of changes: for a program that a clock starts.
 * Returns 0 if another process reads this feed.
 *
 * @since 0.1.0
 * @category feeds
 */
export const readOnce = <E, R>(name: string, handler: Handler<E, R>, options?: Options) =>
  Feed.use((feed) => feed.readOnce(name, handler, options))

/**
 * Calls the handler for every transaction of the vault, and again each time its status has changed, also back from a final
 * one: **at least once**, in the order of the history, also for what appears late. It looks back for the overlap. The name keeps the place, across restarts; of the processes with
 * one name, one reads.
 *
 * A handler that writes through the same `SqlClient` commits together with the place: **exactly once**. It runs in a
 * transaction of the database, so it should do nothing else that takes long.
 *
 * Fails with the handler's error, after which the change comes again, and with an error of the session or the contract
 * that a person has to mend. All other failures are retried. After a 429 it reads more slowly.
 *
 * @example
 * ```ts
 * import { Feed } from "@effect-custody/ledger"
 * import { Amount } from "@effect-custody/core"
 * import { Effect } from "effect"
 * import * as SqlClient from "effect/sql/SqlClient"
 *
 * const deposits = Feed.run("deposits", ({ transaction: { amount, clientId, id, status, type } }) =>
 *   Effect.gen(function* () {
 *     if (type !== "INCOMING" || status !== "COMPLETED" || amount === undefined) return
 *     const sql = yield* SqlClient.SqlClient
 *     yield* sql`INSERT INTO bookings (id, client, amount) VALUES (${id}, ${clientId}, ${Amount.format(amount)})`
 *   })
 * )
 * ```
 *
 * @since 0.1.0
 * @category feeds
 */
export const run = <E, R>(name: string, handler: Handler<E, R>, options?: Options) =>
  Feed.use((feed) => feed.run(name, handler, options))

// The statements of a feed: where it is, and the status of each transaction that its handler has seen.

/** Where a feed is. Times are in milliseconds. */
interface Position {
  readonly now: number
  /** When the last pass that read to the end began; `undefined` if there was none. */
  readonly readUntil: number | undefined
  /** The creation time of the newest transaction that the feed has seen; `undefined` if it has seen none. */
  readonly newest: number | undefined
}

const optional = (value: unknown): number | undefined => (value === null ? undefined : Number(value))

const findPosition = Effect.fnUntraced(function* (
  database: Database,
  feed: string
): Effect.fn.Return<Position, SqlError> {
  const { sql } = database
  const now = yield* database.now
  const [row] = yield* sql<Readonly<Record<"now" | "until" | "newest", unknown>>>`SELECT ${now} AS now,
    (SELECT read_until FROM feeds WHERE name = ${feed}) AS until,
    (SELECT max(created_at) FROM feed_seen WHERE feed = ${feed}) AS newest`
  return { now: Number(row?.now), readUntil: optional(row?.until), newest: optional(row?.newest) }
})

/** Notes that a pass which began at a time has read to the end. */
const advanceFeed = ({ sql }: Database, feed: string, began: number): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`UPDATE feeds SET read_until = ${began} WHERE name = ${feed}`)

/** The status of those of some transactions that the feed has seen. */
const findSeen = (
  { sql }: Database,
  feed: string,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, string>, SqlError> =>
  Effect.map(
    sql<{ readonly transaction_id: string; readonly status: string }>`SELECT transaction_id, status FROM feed_seen
      WHERE feed = ${feed} AND ${sql.in("transaction_id", ids)}`,
    (rows) => new Map(rows.map(({ status, transaction_id: id }) => [id, status]))
  )

interface Sight {
  readonly transactionId: string
  readonly status: string
  /** The status that the feed has seen before; `undefined` if it has not seen the transaction. */
  readonly previousStatus: string | undefined
  readonly isFinal: boolean
  /** In milliseconds. */
  readonly createdAt: number
}

/**
 * Notes what was seen, and runs a handler in the same transaction: both are kept, or neither. Does nothing if another
 * reader has been faster.
 */
const handleOnce = <E, R>(
  database: Database,
  feed: string,
  { createdAt, isFinal, previousStatus = "", status, transactionId }: Sight,
  handler: Effect.Effect<void, E, R>
): Effect.Effect<boolean, SqlError | E, R> =>
  Effect.gen(function* () {
    const { sql } = database
    const now = yield* database.now
    const findOpen = isFinal ? 0 : 1
    const taken = yield* sql`INSERT INTO feed_seen (feed, transaction_id, status, is_open, created_at, due_at)
      VALUES (${feed}, ${transactionId}, ${status}, ${findOpen}, ${createdAt}, ${now})
      ON CONFLICT (feed, transaction_id) DO UPDATE SET status = excluded.status, is_open = excluded.is_open
      WHERE feed_seen.status = ${previousStatus} RETURNING transaction_id`
    if (taken.length === 0) return false
    yield* handler
    return true
  }).pipe(durably(database))

/** The transactions without a final status that were made before a time, and are due to be read one by one. */
const findOpen = (
  { sql }: Database,
  feed: string,
  { before, limit, now }: { readonly before: number; readonly limit: number; readonly now: number }
): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(
    sql<{ readonly transaction_id: string }>`SELECT transaction_id FROM feed_seen
      WHERE feed = ${feed} AND is_open = 1 AND created_at < ${before}
        AND (due_at <= ${now} OR due_at > ${now} + 5000 + (${now} - created_at) / 20)
      ORDER BY due_at LIMIT ${limit}`,
    (rows) => rows.map(({ transaction_id: id }) => id)
  )

/** Leaves transactions alone for a while: the longer, the older they are. */
const postponeSeen = (
  { sql }: Database,
  feed: string,
  ids: ReadonlyArray<string>,
  now: number
): Effect.Effect<void, SqlError> =>
  ids.length === 0
    ? Effect.void
    : Effect.asVoid(sql`UPDATE feed_seen SET due_at = ${now} + 5000 + (${now} - created_at) / 20
        WHERE feed = ${feed} AND ${sql.in("transaction_id", ids)}`)

// One pass of a feed over the history.

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

interface Settings {
  readonly name: string
  readonly reader: string
  /** What was made before is not handled; in milliseconds. */
  readonly from: number
  /** How far back a long pass reads, in milliseconds. */
  readonly overlap: number
}

/** Wraps the error of a handler, which ends the feed. */
class HandlerFailed<E> {
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

type PassError<E> = Transactions.StreamError | Transactions.GetError | SqlError | HandlerFailed<E>

const createdAt = ({ createdAt: time }: Transaction): number | undefined =>
  time === undefined ? undefined : DateTime.toEpochMillis(time)

/** What a pass needs. */
interface Pass<E, R> {
  readonly database: Database
  readonly settings: Settings
  readonly pace: History.Pace
  readonly handler: Handler<E, R>
}

/** Handles those of some transactions that are new or have changed. Returns their number. */
const handleAll = Effect.fnUntraced(function* <E, R>(
  { database, handler, settings: { from, name } }: Pass<E, R>,
  transactions: ReadonlyArray<Transaction>,
  now: number
): Effect.fn.Return<number, SqlError | HandlerFailed<E>, R> {
  const known = yield* findSeen(
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
    const previousStatus = known.get(id)
    const sight = { transactionId: id, status, previousStatus, isFinal, createdAt: madeAt ?? now }
    const change = handler({ transaction, previousStatus })
    const failing = Effect.mapError(change, (error) => new HandlerFailed(error))
    if (yield* handleOnce(database, name, sight, failing)) handled++
  }
  yield* postponeSeen(database, name, unchanged, now)
  return handled
})

/**
 * Reads the history forwards, from before what was read last. A long pass also reads what appeared late: everything from
 * the overlap on. Returns the number of changes, or `undefined` if another process reads this feed.
 */
const runPass = Effect.fnUntraced(function* <E, R>(
  pass: Pass<E, R>,
  isLong: boolean
): Effect.fn.Return<number | undefined, PassError<E>, CustodyClient | R> {
  const {
    database,
    pace,
    settings: { from, name, overlap, reader }
  } = pass
  if (!(yield* holdLease(database, readerOf(name), reader))) return undefined
  const { newest, now, readUntil } = yield* findPosition(database, name)
  const back = isLong ? overlap : margin
  const start =
    readUntil === undefined || newest === undefined
      ? from
      : Math.max(from, Math.min(readUntil - back, newest - beforeNewest))
  let handled = 0
  yield* History.readForward(
    History.listPaced(pace),
    start,
    Effect.fnUntraced(function* (items) {
      yield* holdLease(database, readerOf(name), reader)
      handled += yield* handleAll(pass, items, now)
    })
  )
  for (const transactionId of yield* findOpen(database, name, { before: start, limit: maxSingle, now })) {
    const found = yield* History.readOne(pace, transactionId)
    if (Result.isSuccess(found)) handled += yield* handleAll(pass, [found.success], now)
    else yield* postponeSeen(database, name, [transactionId], now)
  }
  yield* advanceFeed(database, name, now)
  return handled
})

// Reads a feed: once, or again and again.

/**
 * The options of a feed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The feed skips transactions that were made before this time. Default: it skips none. */
  readonly from?: DateTime.Utc | undefined
  /** The longest delay of a transaction in the history, together with the differences of clocks. Default: 26 hours. */
  readonly overlap?: Duration.Input | undefined
  /** The wait between two passes. Default: 5 seconds. */
  readonly pollInterval?: Duration.Input | undefined
}

/**
 * The errors of `readOnce`, beside those of the handler.
 *
 * @since 0.1.0
 * @category errors
 */
export type ReadError = Transactions.StreamError | Transactions.GetError | LedgerError | ConfigurationInvalid

/**
 * The service: each member is what the function of its name does.
 *
 * @since 0.1.0
 * @category services
 */
export interface Service {
  readonly readOnce: <E, R>(
    name: string,
    handler: Handler<E, R>,
    options?: Options
  ) => Effect.Effect<number, ReadError | E, R | CustodyClient>
  readonly run: <E, R>(
    name: string,
    handler: Handler<E, R>,
    options?: Options
  ) => Effect.Effect<never, E | LastingError | ConfigurationInvalid, R | CustodyClient>
}

/** How often a long pass reads the whole overlap again. */
const longPassEvery = 60 * 60_000

const whileFailing = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("30 seconds")]).pipe(
  Schedule.jittered
)

const makePass = Effect.fnUntraced(function* <E, R>(
  database: Database,
  name: string,
  handler: Handler<E, R>,
  { from, overlap = "26 hours" }: Options
): Effect.fn.Return<Pass<E, R>, ConfigurationInvalid> {
  return {
    database,
    handler,
    pace: History.makePace(),
    settings: {
      name,
      reader: SecureRandom.uuidV4Unsafe(),
      from: from === undefined ? 0 : DateTime.toEpochMillis(from),
      overlap: yield* millis("overlap", overlap)
    }
  }
})

/** The handler's own error, and the error of the database as the ledger's. */
const unwrap = <A, E1, E, R>(
  work: Effect.Effect<A, E1 | HandlerFailed<E>, R>
): Effect.Effect<A, Exclude<E1, HandlerFailed<E>> | E, R> =>
  Effect.mapError(work, (error) =>
    error instanceof HandlerFailed ? (error.error as E) : (error as Exclude<E1, HandlerFailed<E>>)
  )

const readsOnce =
  (database: Database): Service["readOnce"] =>
  (name, handler, options = {}) =>
    Effect.gen(function* () {
      const pass = yield* makePass(database, name, handler, options)
      const { settings } = pass
      const changes = yield* Effect.ensuring(
        reporting("read")(runPass(pass, true)),
        Effect.ignore(dropLease(database, readerOf(name), settings.reader))
      )
      return changes ?? 0
    }).pipe(unwrap)

const runs =
  (database: Database): Service["run"] =>
  <E, R>(name: string, handler: Handler<E, R>, options: Options = {}) =>
    Effect.gen(function* () {
      const pass = yield* makePass(database, name, handler, options)
      const { settings } = pass
      const pause = Duration.millis(yield* millis("pollInterval", options.pollInterval ?? "5 seconds"))
      let longPassAt = 0
      const once = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const isLong = now >= longPassAt
        const changes = yield* runPass(pass, isLong)
        if (isLong && changes !== undefined) longPassAt = now + longPassEvery
        yield* Effect.sleep(pause)
      })
      const stops = (error: { readonly _tag: string }): boolean => error._tag === "HandlerFailed" || isLasting(error)
      return yield* once.pipe(
        Effect.tapError((error) =>
          error._tag === "HandlerFailed" || isLasting(error)
            ? Effect.void
            : named("feed.repeated")(Effect.logWarning(`The feed ${name} failed, and reads again: ${explain(error)}`))
        ),
        Effect.retry({ while: (error) => !stops(error), schedule: whileFailing }),
        Effect.mapError((error) => error as HandlerFailed<E> | LastingError),
        Effect.forever,
        Effect.ensuring(Effect.ignore(dropLease(database, readerOf(name), settings.reader)))
      )
    }).pipe(unwrap)
