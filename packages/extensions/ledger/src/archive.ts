/**
 * Archives payouts that have ended: moves them and their events to tables of their own, in small transactions, while
 * workers run. An archived payout takes no step any more. Its reference, its note and its transaction stay known, and its
 * events stay readable: {@link everyPayout}, {@link everyEvent}.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type Database,
  durably,
  eventColumns,
  findNote,
  keptColumns,
  outsideTransactions,
  referencesOf
} from "./database.ts"
import { isNewer, type Ledger } from "./ledger.ts"
import { LedgerError } from "./LedgerError.ts"

/** The number of payouts that one transaction moves. */
const batchSize = 500

/**
 * No step leads on from these. A person may send again what was refused, and the history may still show what was
 * cancelled after an attempt.
 */
const over = "(state IN ('paid', 'failed') OR state = 'cancelled' AND attempt = 0) AND alarm IS NULL"

/** The states of a payout of a batch that is still open. */
const open = "('held', 'ready', 'sending', 'unknown', 'undecided', 'mismatched', 'accepted')"

/**
 * A condition: the payout may be archived. Nothing else of its batch is open, no person has to confirm it, and its last
 * event is older than a time. The newest events stay: by them the ledger knows when it was used, and where an epoch begins.
 * Subqueries of one value, because PostgreSQL would join a whole table for each `EXISTS`. The index of the events has the
 * collation of the database.
 */
const isArchivable = ({ isPostgres, sql }: Database, before: number): Fragment =>
  sql`${sql.literal(over)}
    AND (SELECT 1 FROM payouts o WHERE o.batch = payouts.batch AND o.state IN ${sql.literal(open)} LIMIT 1) IS NULL
    AND (SELECT max(e.at) FROM payout_events e
      WHERE e.reference = payouts.reference ${sql.literal(isPostgres ? 'COLLATE "default"' : "")}) < ${before}
    AND reference NOT IN (SELECT reference FROM payout_gates WHERE confirmed_at IS NULL)
    AND reference NOT IN (SELECT reference FROM payout_events WHERE sequence IN (
      (SELECT max(sequence) FROM payout_events), (SELECT max(sequence) FROM payout_events WHERE attempt > 0)))`

/**
 * Moves those of some payouts that may still be archived. It waits for no payout that a worker has locked, so that the two
 * cannot deadlock. Returns the number.
 */
const move = Effect.fnUntraced(
  function* (
    database: Database,
    references: ReadonlyArray<string>,
    before: number
  ): Effect.fn.Return<number, SqlError> {
    const { isPostgres, sql } = database
    const rows = yield* sql<{ readonly reference: string }>`SELECT reference FROM payouts
      WHERE reference IN (SELECT d.reference FROM ${referencesOf(database, references)} AS d)
        AND ${isArchivable(database, before)}
      ORDER BY reference ${sql.literal(isPostgres ? "FOR UPDATE SKIP LOCKED" : "")}`
    const given = referencesOf(
      database,
      rows.map(({ reference }) => reference)
    )
    for (const [from, to, columns] of [
      ["payout_events", "archived_events", eventColumns(database)],
      ["payouts", "archived_payouts", keptColumns]
    ] as const) {
      const moved = sql`WHERE reference IN (SELECT d.reference FROM ${given} AS d)`
      yield* sql`INSERT INTO ${sql(to)} (${sql.literal(columns)}) SELECT ${sql.literal(columns)} FROM ${sql(from)} ${moved}`
      yield* sql`DELETE FROM ${sql(from)} ${moved}`
    }
    return rows.length
  },
  (work, database) => durably(database)(work)
)

/**
 * Archives what has ended before a time, and at which no worker looks again. Returns the number of payouts.
 */
export const archive = Effect.fnUntraced(function* (
  { database, settings }: Ledger,
  before: DateTime.Utc
): Effect.fn.Return<number, SqlError | LedgerError> {
  const { sql } = database
  yield* outsideTransactions(database, "archive")
  if (yield* isNewer(database)) {
    const reason = "a newer version of the ledger's code has added to its tables: archive with that version"
    return yield* new LedgerError({ operation: "archive", reason })
  }
  const finalAfter = Math.max(settings.finalAfter, Number(yield* findNote(database, "final")))
  // The events have the times of the database.
  const [clock] = yield* sql<{ readonly now: unknown }>`SELECT ${yield* database.now} AS now`
  const until = Math.min(DateTime.toEpochMillis(before), Number(clock?.now) - finalAfter)
  let archived = 0
  for (let after: string | undefined = ""; after !== undefined;) {
    // This look is no part of the transaction, which other writers may wait for.
    const rows: ReadonlyArray<{ readonly reference: string }> = yield* sql<{ readonly reference: string }>`
      SELECT reference FROM payouts WHERE reference > ${after} AND ${isArchivable(database, until)}
      ORDER BY reference LIMIT ${batchSize}`
    const references = rows.map(({ reference }) => reference)
    if (references.length > 0) archived += yield* move(database, references, until)
    after = references.at(-1)
  }
  // The server would plan for an empty archive up to a minute longer.
  if (database.isPostgres && archived >= batchSize) {
    yield* Effect.ignore(sql`ANALYZE payouts, payout_events, archived_payouts, archived_events`)
  }
  return archived
})
