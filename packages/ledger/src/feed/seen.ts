/** The statements of a feed: where it is, and the status of each transaction that its handler has seen. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Database, durably } from "../database/database.ts"

/** Where a feed is. Times are in milliseconds. */
export interface Position {
  readonly now: number
  /** When the last pass that read to the end began; `undefined` if there was none. */
  readonly readUntil: number | undefined
  /** The creation time of the newest transaction that the feed has seen; `undefined` if it has seen none. */
  readonly newest: number | undefined
}

const optional = (value: unknown): number | undefined => (value === null ? undefined : Number(value))

export const position = Effect.fnUntraced(function* (
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
export const advance = ({ sql }: Database, feed: string, began: number): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`UPDATE feeds SET read_until = ${began} WHERE name = ${feed}`)

/** The status of those of some transactions that the feed has seen. */
export const seen = (
  { sql }: Database,
  feed: string,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, string>, SqlError> =>
  Effect.map(
    sql<{ readonly transaction_id: string; readonly status: string }>`SELECT transaction_id, status FROM feed_seen
      WHERE feed = ${feed} AND ${sql.in("transaction_id", ids)}`,
    (rows) => new Map(rows.map(({ status, transaction_id: id }) => [id, status]))
  )

export interface Sight {
  readonly transactionId: string
  readonly status: string
  readonly isFinal: boolean
  /** In milliseconds. */
  readonly createdAt: number
}

/**
 * Notes what was seen, and runs a handler in the same transaction: both are kept, or neither. Does nothing if another
 * reader has been faster, or if the transaction's status was final before.
 */
export const handle = <E, R>(
  database: Database,
  feed: string,
  { createdAt, isFinal, status, transactionId }: Sight,
  handler: Effect.Effect<void, E, R>
): Effect.Effect<boolean, SqlError | E, R> =>
  Effect.gen(function* () {
    const { sql } = database
    const now = yield* database.now
    const open = isFinal ? 0 : 1
    const taken = yield* sql`INSERT INTO feed_seen (feed, transaction_id, status, is_open, created_at, due_at)
      VALUES (${feed}, ${transactionId}, ${status}, ${open}, ${createdAt}, ${now})
      ON CONFLICT (feed, transaction_id) DO UPDATE SET status = excluded.status, is_open = excluded.is_open
      WHERE feed_seen.is_open = 1 AND feed_seen.status <> excluded.status RETURNING transaction_id`
    if (taken.length === 0) return false
    yield* handler
    return true
  }).pipe(durably(database))

/** The transactions without a final status that were made before a time, and are due to be read one by one. */
export const open = (
  { sql }: Database,
  feed: string,
  { before, limit, now }: { readonly before: number; readonly limit: number; readonly now: number }
): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(
    sql<{ readonly transaction_id: string }>`SELECT transaction_id FROM feed_seen
      WHERE feed = ${feed} AND is_open = 1 AND created_at < ${before} AND due_at <= ${now}
      ORDER BY due_at LIMIT ${limit}`,
    (rows) => rows.map(({ transaction_id: id }) => id)
  )

/** Leaves transactions alone for a while: the longer, the older they are. */
export const postpone = (
  { sql }: Database,
  feed: string,
  ids: ReadonlyArray<string>,
  now: number
): Effect.Effect<void, SqlError> =>
  ids.length === 0
    ? Effect.void
    : Effect.asVoid(sql`UPDATE feed_seen SET due_at = ${now} + 5000 + (${now} - created_at) / 20
        WHERE feed = ${feed} AND ${sql.in("transaction_id", ids)}`)
