/** The tables of the ledger. A later version adds a migration. */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Condition from "./conditions.ts"
import type { Database } from "./database.ts"
import { findNote } from "./rows.ts"

/**
 * The version of this code. A claim needs a version of at least the ledger's `writer`. So a migration that changes the
 * meaning of a row raises `writer`, and older workers stop claiming.
 */
export const writer = 1

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
  const notes = {
    writer,
    follower: "",
    notes: "unseen",
    database: "",
    foreign: "",
    history: "",
    lag: "",
    undecided: ""
  }
  const values = Object.entries({ ...notes, "look again": "" }).map(([name, value]) => `('${name}', '${value}')`)
  const statements = [
    `CREATE TABLE payouts (
      reference TEXT ${natural} PRIMARY KEY, batch TEXT NOT NULL,
      client_id TEXT NOT NULL, asset_id TEXT NOT NULL, network_id TEXT, destination TEXT NOT NULL, amount TEXT NOT NULL,
      note TEXT NOT NULL UNIQUE, twin TEXT NOT NULL,
      state TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, claim TEXT, guard TEXT,
      intent_at BIGINT, valid_until BIGINT, transaction_id TEXT, detail TEXT, due_at BIGINT NOT NULL DEFAULT 0,
      alarm TEXT, alarm_detail TEXT, suspect TEXT, missed_at BIGINT, unchecked INTEGER NOT NULL DEFAULT 0,
      submitted_by TEXT NOT NULL, submitted_at BIGINT NOT NULL)`,
    "CREATE UNIQUE INDEX payouts_guard ON payouts (guard) WHERE guard IS NOT NULL",
    "CREATE UNIQUE INDEX payouts_transaction ON payouts (transaction_id) WHERE transaction_id IS NOT NULL",
    "CREATE INDEX payouts_ready ON payouts (due_at, reference) WHERE state = 'ready'",
    `CREATE INDEX payouts_doubtful ON payouts (valid_until) WHERE ${Condition.doubtful}`,
    `CREATE INDEX payouts_waiting ON payouts (due_at) WHERE ${Condition.waiting}`,
    `CREATE INDEX payouts_stopped ON payouts (state, reference) WHERE ${Condition.stopped}`,
    `CREATE INDEX payouts_alarmed ON payouts (reference) WHERE ${Condition.alarmed}`,
    `CREATE INDEX payouts_unsent ON payouts (reference) WHERE ${Condition.unsent}`,
    "CREATE INDEX payouts_batch ON payouts (batch, state)",
    `CREATE TABLE payout_events (
      sequence ${sequence}, ${transaction} reference TEXT NOT NULL, attempt INTEGER NOT NULL, at BIGINT NOT NULL,
      who TEXT NOT NULL, step TEXT NOT NULL, state TEXT NOT NULL, detail TEXT)`,
    "CREATE INDEX payout_events_reference ON payout_events (reference, sequence)",
    ...(transaction === "" ? [] : ["CREATE INDEX payout_events_order ON payout_events (xact, sequence)"]),
    "CREATE TABLE payout_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, until BIGINT NOT NULL DEFAULT 0)",
    `INSERT INTO payout_meta (name, value) VALUES ${values.join(", ")}`,
    `CREATE TABLE payout_foreign (
      transaction_id TEXT PRIMARY KEY, note TEXT NOT NULL, terms TEXT, dismissed INTEGER NOT NULL DEFAULT 0)`,
    "CREATE INDEX payout_foreign_note ON payout_foreign (note)",
    "CREATE INDEX payout_foreign_terms ON payout_foreign (terms)",
    `CREATE TABLE payout_gates (
      contract TEXT NOT NULL, asset_id TEXT NOT NULL, reference TEXT NOT NULL, request TEXT, answer TEXT,
      shown_at BIGINT, is_final INTEGER NOT NULL DEFAULT 0, confirmed_at BIGINT, confirmed_by TEXT, PRIMARY KEY (contract, asset_id))`,
    "CREATE TABLE feeds (name TEXT PRIMARY KEY, reader TEXT NOT NULL, until BIGINT NOT NULL, read_until BIGINT)",
    `CREATE TABLE feed_seen (
      feed TEXT NOT NULL, transaction_id TEXT NOT NULL, status TEXT NOT NULL, is_open INTEGER NOT NULL,
      created_at BIGINT NOT NULL, due_at BIGINT NOT NULL, PRIMARY KEY (feed, transaction_id))`,
    "CREATE INDEX feed_seen_newest ON feed_seen (feed, created_at)",
    "CREATE INDEX feed_seen_open ON feed_seen (feed, due_at) WHERE is_open = 1"
  ]
  for (const statement of statements) yield* sql.unsafe(statement)
})

const table = "payout_migrations"
const latest = 1

const run = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_ledger": tables }),
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
