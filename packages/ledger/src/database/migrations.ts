/** The tables of the ledger. A new version adds to them, so that two versions can share them during a deploy. */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Condition from "./conditions.ts"
import { type Terms, twinOf } from "../payouts/orders.ts"
import { type Database, make, rowsOf } from "./database.ts"
import { findNote } from "./rows.ts"

/**
 * The version of this code. A claim needs a version of at least the ledger's `writer`. So a migration that changes the
 * meaning of a row raises `writer`, and older workers stop claiming.
 */
export const writer = 2

/** The conditions of the first tables. Later ones are in `conditions.ts`. */
const first = {
  stopped: "state IN ('held', 'undecided', 'refused', 'failed')",
  behind: "behind IS NOT NULL AND state IN ('held', 'ready')"
}

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [sequence, transaction, natural] = sql.onDialectOrElse({
    pg: () => [
      "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
      "xact xid8 NOT NULL DEFAULT pg_current_xact_id(),",
      'COLLATE "C"'
    ],
    orElse: () => ["INTEGER PRIMARY KEY AUTOINCREMENT", "", ""]
  })
  const statements = [
    `CREATE TABLE payouts (
      reference TEXT ${natural} PRIMARY KEY, batch TEXT NOT NULL,
      client_id TEXT NOT NULL, asset_id TEXT NOT NULL, network_id TEXT, destination TEXT NOT NULL, amount TEXT NOT NULL,
      note TEXT NOT NULL UNIQUE, twin TEXT NOT NULL,
      state TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, claim TEXT, guard TEXT,
      intent_at BIGINT, valid_until BIGINT, transaction_id TEXT, detail TEXT, due_at BIGINT NOT NULL DEFAULT 0,
      behind TEXT, submitted_by TEXT NOT NULL, submitted_at BIGINT NOT NULL)`,
    `CREATE TABLE payout_events (
      sequence ${sequence}, ${transaction} reference TEXT NOT NULL, attempt INTEGER NOT NULL, at BIGINT NOT NULL,
      who TEXT NOT NULL, step TEXT NOT NULL, state TEXT NOT NULL, detail TEXT)`,
    "CREATE INDEX payout_events_reference ON payout_events (reference, sequence)",
    "CREATE TABLE payout_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, until BIGINT NOT NULL DEFAULT 0)",
    `INSERT INTO payout_meta (name, value) VALUES ('writer', '1'), ('follower', ''), ('notes', 'unseen')`,
    "CREATE TABLE payout_foreign (note TEXT PRIMARY KEY, transaction_id TEXT NOT NULL)",
    "CREATE UNIQUE INDEX payouts_guard ON payouts (guard) WHERE guard IS NOT NULL",
    "CREATE UNIQUE INDEX payouts_transaction ON payouts (transaction_id) WHERE transaction_id IS NOT NULL",
    "CREATE INDEX payouts_ready ON payouts (due_at, reference) WHERE state = 'ready'",
    `CREATE INDEX payouts_doubtful ON payouts (valid_until) WHERE ${Condition.doubtful}`,
    `CREATE INDEX payouts_waiting ON payouts (due_at) WHERE ${Condition.waiting}`,
    `CREATE INDEX payouts_stopped ON payouts (state, reference) WHERE ${first.stopped}`,
    `CREATE INDEX payouts_behind ON payouts (reference) WHERE ${first.behind}`,
    "CREATE INDEX payouts_batch ON payouts (batch, state)",
    ...(transaction === "" ? [] : ["CREATE INDEX payout_events_order ON payout_events (xact, sequence)"])
  ]
  for (const statement of statements) yield* sql.unsafe(statement)
})

const feedTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [
    "CREATE TABLE feeds (name TEXT PRIMARY KEY, reader TEXT NOT NULL, until BIGINT NOT NULL, read_until BIGINT)",
    `CREATE TABLE feed_seen (
      feed TEXT NOT NULL, transaction_id TEXT NOT NULL, status TEXT NOT NULL, is_open INTEGER NOT NULL,
      created_at BIGINT NOT NULL, due_at BIGINT NOT NULL, PRIMARY KEY (feed, transaction_id))`,
    "CREATE INDEX feed_seen_newest ON feed_seen (feed, created_at)",
    "CREATE INDEX feed_seen_open ON feed_seen (feed, due_at) WHERE is_open = 1"
  ]) {
    yield* sql.unsafe(statement)
  }
})

interface TermsRow extends Terms {
  readonly reference: string
  readonly guard: string | null
}

const chunk = 1_000

/** Writes what makes payouts equal again: the texts of version 1 told 12.50 from 12.5, and addresses by their case. */
const renewTwins = Effect.fnUntraced(function* (database: Database) {
  const { sql } = database
  const guarded = yield* sql<TermsRow>`SELECT * FROM payouts WHERE guard IS NOT NULL`
  yield* sql`UPDATE payouts SET guard = NULL WHERE guard IS NOT NULL`
  for (let after: string | undefined = ""; after !== undefined;) {
    const rows: ReadonlyArray<TermsRow> = yield* sql<TermsRow>`SELECT * FROM payouts WHERE reference > ${after}
      ORDER BY reference LIMIT ${chunk}`
    const renewed = rows.map((row) => ({ reference: row.reference, twin: twinOf(row) }))
    const given = rowsOf(database, renewed, { reference: "text", twin: "text" })
    yield* sql`UPDATE payouts SET twin = d.twin FROM ${given} AS d WHERE payouts.reference = d.reference`
    after = rows.at(-1)?.reference
  }
  // Of two that are equal now, one keeps its guard.
  for (const [twin, { reference }] of new Map(guarded.map((row) => [twinOf(row), row]))) {
    yield* sql`UPDATE payouts SET guard = ${twin} WHERE reference = ${reference}`
  }
})

/**
 * What stops a ledger, what a person confirms, and the rows of the history that the ledger did not send. A worker and a
 * `submit` of version 1 fail from here on, because their texts of equal payouts are others. The results of what such a
 * worker is sending are still written.
 */
const alarms = Effect.gen(function* () {
  const database = make(yield* SqlClient.SqlClient)
  const { sql } = database
  for (const statement of [
    "DROP INDEX payouts_behind",
    "DROP INDEX payouts_stopped",
    "ALTER TABLE payouts ADD COLUMN alarm TEXT",
    "ALTER TABLE payouts ADD COLUMN alarm_detail TEXT",
    "ALTER TABLE payouts ADD COLUMN suspect TEXT",
    "ALTER TABLE payouts ADD COLUMN missed_at BIGINT",
    "ALTER TABLE payouts ADD COLUMN unchecked INTEGER NOT NULL DEFAULT 0",
    "UPDATE payouts SET alarm = 'behind', alarm_detail = behind WHERE behind IS NOT NULL AND state IN ('held', 'ready')",
    "ALTER TABLE payouts DROP COLUMN behind",
    `CREATE INDEX payouts_stopped ON payouts (state, reference) WHERE ${Condition.stopped}`,
    `CREATE INDEX payouts_alarmed ON payouts (reference) WHERE ${Condition.alarmed}`,
    `CREATE INDEX payouts_unsent ON payouts (reference) WHERE ${Condition.unsent}`,
    "ALTER TABLE payout_foreign RENAME TO payout_foreign_1",
    `CREATE TABLE payout_foreign (
      transaction_id TEXT PRIMARY KEY, note TEXT NOT NULL, terms TEXT, dismissed INTEGER NOT NULL DEFAULT 0)`,
    `INSERT INTO payout_foreign (transaction_id, note)
      SELECT transaction_id, note FROM payout_foreign_1 WHERE true ON CONFLICT DO NOTHING`,
    "DROP TABLE payout_foreign_1",
    "CREATE INDEX payout_foreign_note ON payout_foreign (note)",
    "CREATE INDEX payout_foreign_terms ON payout_foreign (terms)",
    `CREATE TABLE payout_gates (
      contract TEXT NOT NULL, asset_id TEXT NOT NULL, reference TEXT NOT NULL, request TEXT, answer TEXT,
      shown_at BIGINT, is_final INTEGER NOT NULL DEFAULT 0, confirmed_at BIGINT, confirmed_by TEXT, PRIMARY KEY (contract, asset_id))`,
    `INSERT INTO payout_meta (name, value) VALUES
      ('database', ''), ('foreign', ''), ('history', ''), ('lag', ''), ('undecided', ''), ('look again', '')`
  ]) {
    yield* sql.unsafe(statement)
  }
  yield* renewTwins(database)
  yield* sql`UPDATE payout_meta SET value = ${`${writer}`} WHERE name = 'writer'`
})

const table = "payout_migrations"
const latest = 3

const run = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_payouts": tables, "0002_feeds": feedTables, "0003_alarms": alarms }),
  table
})

/** Creates the tables, or adds what this version needs. Locks only where something is missing. */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const find = sql<{ readonly id: unknown }>`SELECT max(migration_id) AS id FROM ${sql(table)}`.withoutTransform
  const done = yield* Effect.match(find, { onFailure: () => 0, onSuccess: ([row]) => Number(row?.id ?? 0) })
  if (done < latest) yield* run
})

/** The version of this code that the ledger needs. */
export const findWriter = (database: Database): Effect.Effect<number, SqlError> =>
  Effect.map(findNote(database, "writer"), Number)
