/** What every part of a ledger shares. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  alarmed,
  Committed,
  type Database,
  doubtful,
  findNote,
  isSqlError,
  makeDatabase,
  openDatabase,
  reporting,
  stopped,
  unsent,
  waiting
} from "./database.ts"
import { LedgerError } from "./LedgerError.ts"

/**
 * The options of `Payouts.layer`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The maximum number of payouts that a worker sends at once. Default: 8. */
  readonly inFlight?: number | undefined
  /**
   * How long after it has committed the intent to send a payout a worker may send it. A worker that slept longer sends
   * nothing. Default: 30 seconds.
   */
  readonly sendWithin?: Duration.Input | undefined
  /**
   * The wait for a payout to appear in the service's history after its intent has expired. Then a person has to decide.
   * Choose more time than the service needs to show a transaction. Default: 26 hours.
   */
  readonly undecidedAfter?: Duration.Input | undefined
  /**
   * How far the service's times may be from ours, because clocks and time zones differ: the history is read from this long
   * before a payout was sent. Default: 26 hours.
   */
  readonly clockSkew?: Duration.Input | undefined
  /**
   * How often an idle worker looks for new payouts, and for the end of sent ones. Default: 500 milliseconds. After a long
   * look-up, the worker pauses for four times as long, or 10 seconds at most.
   */
  readonly pollInterval?: Duration.Input | undefined
  /**
   * How far back a ledger that has claimed nothing reads the history before its first payout: what another ledger or a
   * person has paid is not paid again without a question. Default: 90 days; `"all"` reads everything.
   */
  readonly history?: Duration.Input | "all" | undefined
  /**
   * How long what has ended is looked at again: a blockchain may drop a transaction that it had confirmed. Measured from the
   * creation of the transaction. Default: 1 day, longer than any reorganisation of a large blockchain so far.
   */
  readonly finalAfter?: Duration.Input | undefined
  /**
   * With `true`, no payout goes alone, and nobody confirms a contract before it pays: a mistake in the contract may pay
   * every payout wrongly.
   */
  readonly risksWrongPayouts?: boolean | undefined
  /**
   * Within this time the service shows a payment in its history. After a change of the database, a worker waits so long
   * before it compares the two, or for the greatest delay that this history has shown, if that is longer. Default: 10 minutes.
   */
  readonly shownWithin?: Duration.Input | undefined
  /**
   * With `true`, a worker sends each payout in a span `payouts.send` with its reference, as `custody.reference`, and with a
   * link to the span that submitted it, if that process has the option too. Default: false, because a reference may say who
   * is paid.
   */
  readonly tracesReferences?: boolean | undefined
  /** The name of the worker in the events. Default: a random name. Different for every process. */
  readonly worker?: string | undefined
}

export interface Settings {
  readonly inFlight: number
  readonly sendWithin: number
  readonly undecidedAfter: number
  readonly clockSkew: number
  readonly pollInterval: number
  readonly worker: string
  readonly history: number | "all"
  readonly finalAfter: number
  readonly risksWrongPayouts: boolean
  readonly shownWithin: number
  readonly tracesReferences: boolean
}

export interface Ledger {
  readonly database: Database
  /** What this process has seen committed. */
  readonly committed: Committed
  readonly settings: Settings
}

/** The milliseconds of a finite duration. */
export const millis = (option: string, input: Duration.Input, min = 0): Effect.Effect<number, ConfigurationInvalid> => {
  const duration = Option.filter(Duration.fromInput(input), (given) => Duration.isFinite(given))
  const value = Option.map(duration, Duration.toMillis)
  const reason = `must be a duration of at least ${Duration.format(Duration.millis(min))}`
  return Option.isSome(value) && value.value >= min
    ? Effect.succeed(value.value)
    : Effect.fail(new ConfigurationInvalid({ option, reason }))
}

const makeSettings = Effect.fnUntraced(function* ({
  clockSkew = "26 hours",
  finalAfter = "1 day",
  history = "90 days",
  inFlight = 8,
  pollInterval = "500 millis",
  risksWrongPayouts = false,
  sendWithin = "30 seconds",
  shownWithin = "10 minutes",
  tracesReferences = false,
  undecidedAfter = "26 hours",
  worker = `worker-${SecureRandom.uuidV4Unsafe().slice(0, 8)}`
}: Options): Effect.fn.Return<Settings, ConfigurationInvalid> {
  if (!Number.isSafeInteger(inFlight) || inFlight < 1) {
    return yield* new ConfigurationInvalid({ option: "inFlight", reason: "must be a positive integer" })
  }
  if (worker.trim() === "") return yield* new ConfigurationInvalid({ option: "worker", reason: "must not be blank" })
  const validFor = yield* millis("sendWithin", sendWithin, 100)
  return {
    inFlight,
    worker,
    sendWithin: validFor,
    // A request that was sent in time may still be on its way when the intent has expired.
    undecidedAfter: yield* millis("undecidedAfter", undecidedAfter, validFor),
    clockSkew: yield* millis("clockSkew", clockSkew),
    pollInterval: yield* millis("pollInterval", pollInterval, 1),
    history: history === "all" ? history : yield* millis("history", history),
    finalAfter: yield* millis("finalAfter", finalAfter),
    risksWrongPayouts,
    tracesReferences,
    shownWithin: yield* millis("shownWithin", shownWithin)
  }
})

/** Opens the ledger of a database, and creates its tables. */
export const open = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Ledger, LedgerError | ConfigurationInvalid, SqlClient.SqlClient> {
  const settings = yield* makeSettings(options)
  const database = yield* openDatabase(makeDatabase(yield* SqlClient.SqlClient))
  yield* Effect.catchTag(reporting("open")(migrate(database)), "MigrationError", ({ message }) =>
    Effect.fail(new LedgerError({ operation: "open", reason: message }))
  )
  return { database, committed: new Committed(), settings }
})

// The tables. A later version adds a migration.

/**
 * The version of this code. A claim needs a version of at least the ledger's `writer`. So a migration that changes the
 * meaning of a row raises `writer`, and older workers stop claiming.
 */
export const writer = 1

/** The tables, and a trigger that keeps what is archived from coming in again. */
const makeTables = Effect.fnUntraced(function* ({ isPostgres, sql }: Database) {
  const [sequence, transaction, natural, fence] = isPostgres
    ? [
        "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "xact xid8 NOT NULL",
        'COLLATE "C"',
        "xid8 NOT NULL DEFAULT '0'"
      ]
    : ["INTEGER PRIMARY KEY AUTOINCREMENT", "", "", "INTEGER"]
  const notes = {
    writer,
    follower: "",
    notes: "unseen",
    identity: "",
    foreign: "",
    history: "",
    lag: "",
    undecided: "",
    final: "",
    "look again": ""
  }
  const values = Object.entries(notes).map(([name, value]) => `('${name}', '${value}')`)
  const order = `reference TEXT ${natural} PRIMARY KEY, batch TEXT NOT NULL,
      client_id TEXT NOT NULL, asset_id TEXT NOT NULL, network_id TEXT, destination TEXT NOT NULL, amount TEXT NOT NULL,
      note TEXT NOT NULL UNIQUE, twin TEXT NOT NULL, submitted_by TEXT NOT NULL, submitted_at BIGINT NOT NULL`
  const event = `reference TEXT NOT NULL, attempt INTEGER NOT NULL, at BIGINT NOT NULL,
      who TEXT NOT NULL, step TEXT NOT NULL, state TEXT NOT NULL, detail TEXT`
  const statements = [
    `CREATE TABLE payouts (${order}, trace TEXT,
      state TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, claim TEXT, guard TEXT,
      intent_at BIGINT, valid_until BIGINT, transaction_id TEXT, detail TEXT, due_at BIGINT NOT NULL DEFAULT 0,
      alarm TEXT, alarm_detail TEXT, suspect TEXT, missed_at BIGINT, unchecked INTEGER NOT NULL DEFAULT 0,
      searched_from BIGINT)`,
    "CREATE UNIQUE INDEX payouts_guard ON payouts (guard) WHERE guard IS NOT NULL",
    "CREATE UNIQUE INDEX payouts_transaction ON payouts (transaction_id) WHERE transaction_id IS NOT NULL",
    "CREATE INDEX payouts_ready ON payouts (due_at, reference) WHERE state = 'ready'",
    `CREATE INDEX payouts_doubtful ON payouts (valid_until) WHERE ${doubtful}`,
    `CREATE INDEX payouts_waiting ON payouts (due_at) WHERE ${waiting}`,
    `CREATE INDEX payouts_stopped ON payouts (state, reference) WHERE ${stopped}`,
    `CREATE INDEX payouts_alarmed ON payouts (reference) WHERE ${alarmed}`,
    `CREATE INDEX payouts_unsent ON payouts (reference) WHERE ${unsent}`,
    "CREATE INDEX payouts_batch ON payouts (batch, state)",
    `CREATE TABLE archived_payouts (${order},
      state TEXT NOT NULL, attempt INTEGER NOT NULL, intent_at BIGINT, transaction_id TEXT, detail TEXT,
      alarm TEXT, alarm_detail TEXT, unchecked INTEGER NOT NULL)`,
    "CREATE UNIQUE INDEX archived_transaction ON archived_payouts (transaction_id) WHERE transaction_id IS NOT NULL",
    `CREATE INDEX archived_alarmed ON archived_payouts (reference) WHERE ${alarmed}`,
    "CREATE INDEX archived_batch ON archived_payouts (batch)",
    "CREATE INDEX archived_sent ON archived_payouts (intent_at)",
    `CREATE TABLE payout_events (
      sequence ${sequence}, ${transaction && `${transaction} DEFAULT pg_current_xact_id(),`} ${event})`,
    "CREATE INDEX payout_events_reference ON payout_events (reference, sequence)",
    `CREATE TABLE archived_events (
      sequence ${isPostgres ? "BIGINT" : "INTEGER"} PRIMARY KEY, ${transaction && `${transaction},`} ${event})`,
    "CREATE INDEX archived_events_reference ON archived_events (reference, sequence)",
    ...(isPostgres
      ? [
          "CREATE INDEX payout_events_order ON payout_events (xact, sequence)",
          "CREATE INDEX archived_events_order ON archived_events (xact, sequence)"
        ]
      : []),
    `CREATE TABLE payout_epochs (epoch BIGINT PRIMARY KEY, after BIGINT NOT NULL, fence ${fence})`,
    "INSERT INTO payout_epochs (epoch, after) VALUES (0, 0)",
    "CREATE TABLE payout_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, until BIGINT NOT NULL DEFAULT 0)",
    `INSERT INTO payout_meta (name, value) VALUES ${values.join(", ")}`,
    "CREATE TABLE payout_foreign (transaction_id TEXT PRIMARY KEY, note TEXT NOT NULL, terms TEXT, shown TEXT NOT NULL)",
    "CREATE INDEX payout_foreign_note ON payout_foreign (note)",
    "CREATE INDEX payout_foreign_terms ON payout_foreign (terms)",
    "CREATE TABLE payout_dismissed (transaction_id TEXT NOT NULL, twin TEXT NOT NULL, PRIMARY KEY (transaction_id, twin))",
    `CREATE TABLE payout_gates (
      contract TEXT NOT NULL, asset_id TEXT NOT NULL, reference TEXT NOT NULL, request TEXT, answer TEXT,
      shown_at BIGINT, is_final INTEGER NOT NULL DEFAULT 0, confirmed_at BIGINT, confirmed_by TEXT, PRIMARY KEY (contract, asset_id))`,
    "CREATE TABLE feeds (name TEXT PRIMARY KEY, reader TEXT NOT NULL, until BIGINT NOT NULL, read_until BIGINT)",
    `CREATE TABLE feed_seen (
      feed TEXT NOT NULL, transaction_id TEXT NOT NULL, status TEXT NOT NULL, is_open INTEGER NOT NULL,
      created_at BIGINT NOT NULL, due_at BIGINT NOT NULL, PRIMARY KEY (feed, transaction_id))`,
    "CREATE INDEX feed_seen_newest ON feed_seen (feed, created_at)",
    "CREATE INDEX feed_seen_open ON feed_seen (feed, due_at) WHERE is_open = 1",
    ...(yield* archiveTrigger({ isPostgres, sql }))
  ]
  for (const statement of statements) yield* sql.unsafe(statement)
})

/**
 * Keeps the references and notes of the archive out of the payouts, also those of a submission that began before the
 * archive ended. It also looks at the payouts themselves, in the same statement: a transaction that archives one may end in
 * between.
 */
const archiveTrigger = Effect.fnUntraced(function* ({ isPostgres, sql }: Pick<Database, "isPostgres" | "sql">) {
  const has = (table: string, column: string) => `EXISTS (SELECT 1 FROM ${table} WHERE ${column} = NEW.${column})`
  const isArchived = `${has("archived_payouts", "reference")} OR ${has("archived_payouts", "note")}`
  if (!isPostgres) {
    return [`CREATE TRIGGER payouts_once BEFORE INSERT ON payouts WHEN ${isArchived} BEGIN SELECT RAISE(IGNORE); END`]
  }
  const [at] = yield* sql<{ readonly name: string }>`SELECT quote_ident(current_schema()) AS name`
  return [
    `CREATE FUNCTION payouts_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
      SET search_path = ${at?.name}, pg_temp SET enable_seqscan = off AS $$ BEGIN
      IF ${has("payouts", "reference")} OR ${has("payouts", "note")} OR ${isArchived} THEN RETURN NULL; END IF;
      RETURN NEW; END $$`,
    "CREATE TRIGGER payouts_once BEFORE INSERT ON payouts FOR EACH ROW EXECUTE FUNCTION payouts_once()"
  ]
})

const migrationTable = "payout_migrations"
const latestMigration = 1

const createTables = (database: Database) =>
  Migrator.make({})({
    loader: Migrator.fromRecord({ "0001_ledger": makeTables(database) }),
    table: migrationTable
  })

/** PostgreSQL ends a migration that would wait for ever for a worker: it has changed nothing, and is tried again. */
const isDeadlock = (error: Effect.Error<ReturnType<typeof createTables>>): boolean => {
  const cause = error._tag === "SqlError" ? error : error.cause
  return isSqlError(cause) && cause.reason._tag === "DeadlockError"
}

/** The number of the last migration; 0 for a database without tables. */
const findMigration = ({ sql }: Database): Effect.Effect<number> =>
  Effect.match(
    sql<{ readonly id: unknown }>`SELECT max(migration_id) AS id FROM ${sql(migrationTable)}`.withoutTransform,
    { onFailure: () => 0, onSuccess: ([row]) => Number(row?.id ?? 0) }
  )

/** `true` if the tables have what a newer version has added: this one would lose it if it moved a row. */
export const isNewer = (database: Database): Effect.Effect<boolean> =>
  Effect.map(findMigration(database), (id) => id > latestMigration)

/** Creates the tables, or adds what this version needs. Locks only where something is missing. */
export const migrate = Effect.fnUntraced(function* (database: Database) {
  const done = yield* findMigration(database)
  if (done < latestMigration) yield* Effect.retry(createTables(database), { while: isDeadlock, times: 10 })
})

/** The version of this code that the ledger needs. */
export const findWriter = (database: Database): Effect.Effect<number, SqlError> =>
  Effect.map(findNote(database, "writer"), Number)

/** Keeps for other processes how long workers look for a payout, and at what has ended, in milliseconds. */
export const keepTimes = Effect.fnUntraced(function* ({
  database: { sql },
  settings: { finalAfter, undecidedAfter }
}: Ledger): Effect.fn.Return<void, SqlError> {
  for (const [name, value] of Object.entries({ undecided: `${undecidedAfter}`, final: `${finalAfter}` })) {
    yield* sql`UPDATE payout_meta SET value = ${value} WHERE name = ${name} AND value <> ${value}`
  }
})
