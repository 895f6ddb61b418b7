/** The database of a ledger, and what PostgreSQL and SQLite say differently. */
import { escapeInvisible } from "@effect-custody/core/Text"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { LedgerError } from "./LedgerError.ts"
import type { PayoutState } from "./Payout.ts"

export interface Database {
  /** Without the transformations of names that a program may have set for its own tables. */
  readonly sql: SqlClient.SqlClient
  readonly isPostgres: boolean
  /**
   * The time in milliseconds. The processes of a PostgreSQL ledger may run on many hosts, so its own clock counts. The
   * processes of a SQLite file share the clock of their host.
   */
  readonly now: Effect.Effect<Fragment>
  /** A condition that is true, and makes the commit of its statement wait for the disk. */
  readonly durable: Fragment
  /**
   * Which database this is: PostgreSQL's system identifier, its timeline, and the number of the table of payouts. A server
   * that takes over has another timeline, and a restored copy another table. A server that restarts has the same.
   */
  readonly identity: Fragment
  /** `false` if the server hides which one it is: the identity is then the table's number, or on SQLite nothing. */
  readonly isNamed: boolean
}

const table = "to_regclass('payouts')::oid"

const durable = `(SELECT set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
  true) IS NOT NULL)`

export const makeDatabase = (client: SqlClient.SqlClient): Database => {
  const sql = client.withoutTransforms()
  return sql.onDialectOrElse({
    pg: (): Database => ({
      sql,
      isPostgres: true,
      now: Effect.succeed(sql.literal("(extract(epoch FROM clock_timestamp()) * 1000)::bigint")),
      durable: sql.literal(durable),
      identity:
        sql.literal(`(SELECT system_identifier || '/' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)
        || '/' || ${table} FROM pg_control_system())`),
      isNamed: true
    }),
    orElse: (): Database => ({
      sql,
      isPostgres: false,
      now: Effect.map(Clock.currentTimeMillis, (millis) => sql`${millis}`),
      durable: sql.literal("true"),
      identity: sql.literal("'hidden'"),
      isNamed: false
    })
  })
}

/** A text that every database takes: PostgreSQL refuses NUL, and its JSON half of a pair, such as half an emoji. */
export const wellFormed = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")

const toJson = (rows: ReadonlyArray<object>): string => {
  const json = JSON.stringify(rows)
  return /\\u(0000|d[89a-f])/.test(json)
    ? JSON.stringify(rows, (_, value: unknown) => (typeof value === "string" ? wellFormed(value) : value))
    : json
}

/** The rows of a list, as one parameter: one prepared statement for any number of rows, and no limit of parameters. */
export const rowsOf = (
  { isPostgres, sql }: Database,
  rows: ReadonlyArray<object>,
  columns: Readonly<Record<string, "text" | "bigint">>
): Fragment => {
  const json = toJson(rows)
  const names = Object.entries(columns)
  return isPostgres
    ? sql`(SELECT * FROM jsonb_to_recordset(${json}::text::jsonb) AS t(${sql.literal(
        names.map(([name, type]) => `${name} ${type}`).join(", ")
      )}))`
    : sql`(SELECT ${sql.literal(
        names.map(([name]) => `value ->> '${name}' AS ${name}`).join(", ")
      )} FROM json_each(${json}))`
}

/** The rows of some references. */
export const referencesOf = (database: Database, references: ReadonlyArray<string>): Fragment =>
  rowsOf(
    database,
    references.map((reference) => ({ reference })),
    { reference: "text" }
  )

/**
 * Several statements in one transaction that is on the disk when it ends. Inside a transaction of the caller, they are a
 * part of it.
 */
export const durably =
  ({ durable, isPostgres, sql }: Database) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    sql.withTransaction(isPostgres ? Effect.andThen(sql`SELECT 1 WHERE ${durable}`, work) : work)

/** `true` inside a transaction of the caller. */
export const isInTransaction = ({ sql }: Database): Effect.Effect<boolean> =>
  Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

/** Runs statements without spans: most polls find nothing. */
export const quietly = Effect.withTracerEnabled(false)

/** Refuses to work inside a transaction of the caller: no worker can see what is not committed. */
export const outsideTransactions = (database: Database, operation: string): Effect.Effect<void, LedgerError> =>
  Effect.flatMap(isInTransaction(database), (isInside) =>
    isInside
      ? Effect.fail(new LedgerError({ operation, reason: "it was called inside a transaction of the database" }))
      : Effect.void
  )

const isCoded = Schema.is(
  Schema.Union([Schema.Struct({ code: Schema.String }), Schema.Struct({ errcode: Schema.Int })])
)

/** `true` if the numbers of the events fell behind the events, as on a logical replica: no number is replicated. */
export const isOutOfNumbers = ({ reason }: SqlError): boolean =>
  reason._tag === "UniqueViolation" && reason.constraint === "payout_events_pkey"

const outOfNumbers =
  "the numbers of its events are behind the events, as after a logical replica took over. Run " +
  "SELECT setval(pg_get_serial_sequence('payout_events', 'sequence'), (SELECT max(sequence) FROM payout_events))"

const describeFailure = (error: SqlError): string => {
  if (isOutOfNumbers(error)) return outOfNumbers
  const { reason } = error
  const { cause } = reason
  const code = !isCoded(cause) ? "" : "code" in cause ? ` (${cause.code})` : ` (SQLite ${cause.errcode})`
  return `the database failed: ${reason._tag}${code}`
}

export const isSqlError = Schema.is(SqlError)

/** What failed, for a message: the driver's own message names neither the cause nor its code. */
export const explain = (error: { readonly message: string }): string =>
  isSqlError(error) ? describeFailure(error) : escapeInvisible(error.message)

/** Turns the errors of the database into those of the ledger. */
export const reporting =
  (operation: string) =>
  <A, E, R>(work: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | LedgerError, R> =>
    Effect.mapError(work, (error): Exclude<E, SqlError> | LedgerError =>
      isSqlError(error)
        ? new LedgerError({ operation, reason: describeFailure(error), cause: error })
        : (error as Exclude<E, SqlError>)
    )

/** The service of a managed server may not have the functions, or may not allow them. */
const isHidden = ({ reason: { cause } }: SqlError): boolean =>
  isCoded(cause) && "code" in cause && ["42501", "42883", "0A000"].includes(cause.code)

/** Refuses a database that forgets commits after a crash of its host, and finds out whether it says which one it is. */
export const openDatabase = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<Database, LedgerError> {
  const { identity, isPostgres, sql } = database
  if (isPostgres) {
    const hidden = { ...database, identity: sql.literal(`('hidden/' || ${table})`), isNamed: false }
    const asked = Effect.as(sql`SELECT ${identity} AS identity`, database)
    return yield* asked.pipe(
      Effect.catchIf(isHidden, () => Effect.succeed(hidden)),
      reporting("open")
    )
  }
  const [row] = yield* reporting("open")(sql<{ readonly synchronous: number }>`PRAGMA synchronous`)
  if (Number(row?.synchronous) >= 2) return database
  return yield* new LedgerError({ operation: "open", reason: "SQLite needs PRAGMA synchronous = FULL" })
})

// Decodes the rows of the ledger. A row that this version does not know is an error, and no payout.

/** The failure of the database, or a row that does not decode. */
export type RowError = SqlError | LedgerError

/** A time in milliseconds. PostgreSQL's driver returns a `BIGINT` as a `bigint` or a text, SQLite's as a number. */
export const Millis = Schema.Union([Schema.Finite, Schema.BigInt, Schema.String]).pipe(
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transform<number, number | bigint | string>({ decode: Number, encode: identity })
  )
)

export const Integer = Millis.pipe(Schema.decodeTo(Schema.Int))

/** SQLite keeps the fractions of a computed time. */
export const Time = Millis.pipe(
  Schema.decodeTo(
    Schema.DateTimeUtcFromMillis,
    SchemaTransformation.transform<number, number>({ decode: Math.round, encode: identity })
  )
)

/** 1 or 0. */
export const Flag = Integer.pipe(
  Schema.decodeTo(Schema.Boolean, SchemaTransformation.transform({ decode: (flag) => flag === 1, encode: Number }))
)

/** The rows of a statement. */
export const decodeRows = <Row, Columns>(row: Schema.Codec<Row, Columns>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<ReadonlyArray<Row>, E | LedgerError> =>
    Effect.flatMap(statement, (rows) =>
      Effect.mapError(decode(rows), ({ message }) => {
        const reason = `it has a row that this version does not know: ${message.replace(/\s+/g, " ")}`
        return new LedgerError({ operation: "read", reason })
      })
    )
}

/** The value of a name of the ledger's own notes, or an empty text. */
export const findNote = ({ sql }: Database, name: string): Effect.Effect<string, SqlError> =>
  Effect.map(
    sql<{ readonly value: string }>`SELECT value FROM payout_meta WHERE name = ${name}`,
    ([row]) => row?.value ?? ""
  )

// The conditions of the partial indexes. SQLite uses such an index only for a statement that repeats its condition.

/** Payouts that the service may have received, with no transaction known to the ledger. Indexed by `valid_until`. */
export const doubtful = "state IN ('sending', 'unknown', 'undecided')"

/** Payouts that wait for the history. Indexed by `due_at`. */
export const waiting = "state IN ('unknown', 'accepted')"

/** Payouts that wait for a person, and payouts that failed. Indexed by state and reference. */
export const stopped = "state IN ('held', 'undecided', 'mismatched', 'refused', 'failed')"

/** The condition of the index that holds the payouts of a state; `true` if no index does. */
export const ofState = (state: PayoutState): string => (stopped.includes(`'${state}'`) ? stopped : "true")

/** Payouts that a person has to look at before anything more is sent. Indexed by reference. */
export const alarmed = "alarm IS NOT NULL"

/** Payouts that are to be sent, for the first time or again. Indexed by reference. */
export const unsent = "state IN ('held', 'ready')"

// What has ended may be archived: moved to tables of its own. What names a payout, a batch or a transaction reads both.

/** The columns of a payout that it keeps in the archive. */
export const keptColumns = `reference, batch, client_id, asset_id, network_id, destination, amount, note, twin, state,
  attempt, intent_at, transaction_id, detail, unchecked, submitted_by, submitted_at, alarm, alarm_detail`

const noTime = "CAST(NULL AS BIGINT)"

/** The payouts, also the archived ones. SQLite uses the indexes of both tables only if their columns have equal types. */
export const everyPayout = `(SELECT ${keptColumns}, valid_until, due_at, missed_at, searched_from FROM payouts
  UNION ALL SELECT ${keptColumns}, ${noTime}, CAST(0 AS BIGINT), ${noTime}, ${noTime} FROM archived_payouts)`

export const eventColumns = ({ isPostgres }: Pick<Database, "isPostgres">): string =>
  `sequence, ${isPostgres ? "xact, " : ""}reference, attempt, at, who, step, state, detail`

/** The events, also those of archived payouts. */
export const everyEvent = (database: Database): Fragment =>
  database.sql.literal(`(SELECT ${eventColumns(database)} FROM payout_events
    UNION ALL SELECT ${eventColumns(database)} FROM archived_events)`)

// What one process at a time does: the place of the only follower, and of the only reader of a feed.

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

/** The longest pause of a holder, in milliseconds. A lease that lasts longer was taken while the clock was ahead. */
export const maxPause = 60_000

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
    WHERE ${sql(table)}.${sql(column)} = excluded.${sql(column)} OR ${sql(table)}.until < ${now}
      OR ${sql(table)}.until > ${now} + ${lasts + maxPause} RETURNING name`
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
  const taken = yield* sql`UPDATE payout_meta SET until = ${now} + ${every}
    WHERE name = ${name} AND (until <= ${now} OR until > ${now} + ${every}) RETURNING name`
  return taken.length > 0
})

// Notices that the database is another one: a standby that took over, or a restored copy, may have lost what was committed. The name of the database at the last comparison with the history is in the ledger itself.

/** An event that a worker has seen committed. */
export interface Mark {
  readonly sequence: number
  readonly at: number
}

/** The last events that a worker has seen committed. */
export class Committed {
  #marks: ReadonlyArray<Mark> = []
  /** `true` once this process has seen an event committed, whatever the database says later. */
  hasAny = false
  get marks(): ReadonlyArray<Mark> {
    return this.#marks
  }
  /** A worker writes at most three events at once: of the last four answers, one came after every earlier commit. */
  add(mark: Mark | undefined): void {
    if (mark === undefined) return
    this.hasAny = true
    this.#marks = [...this.#marks, mark].slice(-4)
  }
  /** The events may be lost from here on. */
  clear(): void {
    this.#marks = []
  }
}

/** The last of some written events, from rows with `sequence` and `at`. */
export const lastMark = (
  rows: ReadonlyArray<{ readonly sequence: unknown; readonly at: unknown }>
): Mark | undefined => {
  const marks = rows.map(({ at, sequence }) => ({ sequence: Number(sequence), at: Number(at) }))
  return marks.reduce<Mark | undefined>(
    (last, mark) => (last && last.sequence > mark.sequence ? last : mark),
    undefined
  )
}

/** The name of a database that has changed, until it is compared. */
const changed = ({ identity, sql }: Database): Fragment => sql`'changed ' || ${identity}`

/** A condition: the database is the one of the last comparison, and has the events that a worker has seen committed. */
export const isUnchanged = (database: Database, who: string, { marks }: Committed): Fragment => {
  const { identity, sql } = database
  const known = sql`(SELECT value FROM payout_meta WHERE name = 'identity') = ${identity}`
  if (marks.length === 0) return known
  const given = rowsOf(database, marks, { sequence: "bigint", at: "bigint" })
  const count = (events: string) => sql`(SELECT count(*) FROM ${given} AS d JOIN ${sql(events)} e
    ON e.sequence = d.sequence AND e.at = d.at WHERE e.who = ${who})`
  return sql`${known} AND ${count("payout_events")} + ${count("archived_events")} = ${marks.length}`
}

/**
 * Begins an epoch: PostgreSQL counts its transactions anew in a restored copy, and may count them again after a failover.
 * The events before it have numbers up to `after`, once the transactions that are open now have ended.
 */
const beginEpoch = Effect.fnUntraced(function* (
  { isPostgres, sql }: Database,
  now: Fragment
): Effect.fn.Return<void, SqlError> {
  const last = isPostgres
    ? sql`GREATEST((SELECT max(sequence) FROM payout_events),
        pg_sequence_last_value(pg_get_serial_sequence('payout_events', 'sequence')::regclass), 0)`
    : sql`(SELECT COALESCE(max(sequence), 0) FROM payout_events)`
  // By its time, because a copy may lack the last epochs.
  yield* sql`INSERT INTO payout_epochs (epoch, after)
    SELECT CASE WHEN max(epoch) >= ${now} THEN max(epoch) + 1 ELSE ${now} END, ${last} FROM payout_epochs`
  if (isPostgres) {
    yield* sql`UPDATE payout_epochs SET fence = pg_snapshot_xmax(pg_current_snapshot())
      WHERE epoch = (SELECT max(epoch) FROM payout_epochs)`
  }
})

/** Writes down that the database has changed, so that no worker claims anything until it is compared. */
export const noteChange = Effect.fnUntraced(
  function* (database: Database): Effect.fn.Return<void, SqlError> {
    const { sql } = database
    const now = yield* database.now
    const noted = yield* sql`UPDATE payout_meta SET value = ${changed(database)}, until = ${now}
      WHERE name = 'identity' AND value <> ${changed(database)} RETURNING name`
    if (noted.length > 0) yield* beginEpoch(database, now)
  },
  (work, database) => durably(database)(work)
)

/** What is to be compared. */
export interface Change {
  /** The name under which it stands in the ledger. */
  readonly name: string
  /** How long ago the change was noticed, in milliseconds; `undefined` if the database is the one that was compared. */
  readonly age: number | undefined
}

/** Looks whether the database is the one of the last comparison. A ledger that was never compared is no change. */
export const findChange = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<Change, SqlError> {
  const { identity, sql } = database
  yield* Effect.flatMap(
    sql`SELECT 1 FROM payout_meta WHERE name = 'identity' AND value NOT IN ('', ${identity}, ${changed(database)})`,
    (other) => (other.length > 0 ? noteChange(database) : Effect.void)
  )
  const now = yield* database.now
  const [row] = yield* sql<{ readonly value: string; readonly age: unknown }>`SELECT value, ${now} - until AS age
    FROM payout_meta WHERE name = 'identity'`
  const name = row?.value ?? ""
  return { name, age: name.startsWith("changed ") ? Number(row?.age) : undefined }
})

/** Notes that a database was compared, unless it has changed since. */
export const noteCompared = (database: Database, { name }: Change): Effect.Effect<void, SqlError> =>
  Effect.asVoid(database.sql`UPDATE payout_meta SET value = ${database.identity}, until = 0
    WHERE name = 'identity' AND value = ${name}
      AND ${name} IN ('', ${database.identity}, ${changed(database)})`)
