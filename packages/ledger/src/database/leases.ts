/** What one process at a time does: the place of the only follower, and of the only reader of a feed. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./database.ts"

/** Where a lease stands, and how long its holder may be silent before another takes its place, in milliseconds. */
export interface Lease {
  readonly table: "feeds" | "payout_meta"
  readonly column: "reader" | "value"
  readonly name: string
  readonly lasts: number
}

/** The place of the only follower of payouts. Two at once would only read twice. */
export const follower: Lease = { table: "payout_meta", column: "value", name: "follower", lasts: 5_000 }

/** The place of the only reader of a feed. */
export const readerOf = (feed: string): Lease => ({ table: "feeds", column: "reader", name: feed, lasts: 30_000 })

/** Takes or renews a lease, by a holder who waits for `pause` milliseconds in between. Returns `false` if another has it. */
export const holdLease = Effect.fnUntraced(function* (
  database: Database,
  { column, lasts, name, table }: Lease,
  who: string,
  pause = 0
): Effect.fn.Return<boolean, SqlError> {
  const { sql } = database
  const now = yield* database.now
  const held = yield* sql`INSERT INTO ${sql(table)} (name, ${sql(column)}, until)
    VALUES (${name}, ${who}, ${now} + ${lasts + Math.round(pause)})
    ON CONFLICT (name) DO UPDATE SET ${sql(column)} = excluded.${sql(column)}, until = excluded.until
    WHERE ${sql(table)}.${sql(column)} = excluded.${sql(column)} OR ${sql(table)}.until < ${now} RETURNING name`
  return held.length > 0
})

export const dropLease = (
  { sql }: Database,
  { column, name, table }: Lease,
  who: string
): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`UPDATE ${sql(table)} SET until = 0 WHERE name = ${name} AND ${sql(column)} = ${who}`)

/** Takes the turn of something that workers do at most once in `every` milliseconds together. */
export const takeTurn = Effect.fnUntraced(function* (
  database: Database,
  name: "look again",
  every: number
): Effect.fn.Return<boolean, SqlError> {
  const { sql } = database
  const now = yield* database.now
  const taken = yield* sql`UPDATE payout_meta SET until = ${now} + ${every} WHERE name = ${name} AND until <= ${now}
    RETURNING name`
  return taken.length > 0
})
