/** The database of a ledger, and what PostgreSQL and SQLite say differently. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { LedgerError } from "../payouts/LedgerError.ts"

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
   * Which database this is, or `undefined` if the database does not say: PostgreSQL's system identifier and timeline. A
   * server that takes over has another timeline, and so has a restored one; a server that restarts has the same.
   */
  readonly identity: Fragment | undefined
}

export const make = (client: SqlClient.SqlClient): Database => {
  const sql = client.withoutTransforms()
  return sql.onDialectOrElse({
    pg: (): Database => ({
      sql,
      isPostgres: true,
      now: Effect.succeed(sql.literal("(extract(epoch FROM clock_timestamp()) * 1000)::bigint")),
      durable: sql.literal(`(SELECT set_config('synchronous_commit',
        CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
        true) IS NOT NULL)`),
      identity:
        sql.literal(`(SELECT system_identifier || '/' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)
        FROM pg_control_system())`)
    }),
    orElse: (): Database => ({
      sql,
      isPostgres: false,
      now: Effect.map(Clock.currentTimeMillis, (millis) => sql`${millis}`),
      durable: sql.literal("true"),
      identity: undefined
    })
  })
}

/** The rows of a list, as one parameter: one prepared statement for any number of rows, and no limit of parameters. */
export const rowsOf = (
  { isPostgres, sql }: Database,
  rows: ReadonlyArray<object>,
  columns: Readonly<Record<string, "text" | "bigint">>
): Fragment => {
  const json = JSON.stringify(rows)
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

/** One step. PostgreSQL: one statement, which is a transaction of its own. SQLite: several statements. */
export const atomically =
  ({ isPostgres, sql }: Database) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    isPostgres ? work : sql.withTransaction(work)

/** `true` inside a transaction of the caller. */
export const isInTransaction = ({ sql }: Database): Effect.Effect<boolean> =>
  Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

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

const describe = ({ reason }: SqlError): string => {
  const { cause } = reason
  const code = !isCoded(cause) ? "" : "code" in cause ? ` (${cause.code})` : ` (SQLite ${cause.errcode})`
  return `the database failed: ${reason._tag}${code}`
}

const isSqlError = Schema.is(SqlError)

/** What failed, for a message: the driver's own message names neither the cause nor its code. */
export const explain = (error: { readonly message: string }): string =>
  isSqlError(error) ? describe(error) : error.message

/** Turns the errors of the database into those of the ledger. */
export const reporting =
  (operation: string) =>
  <A, E, R>(work: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | LedgerError, R> =>
    Effect.mapError(work, (error): Exclude<E, SqlError> | LedgerError =>
      isSqlError(error)
        ? new LedgerError({ operation, reason: describe(error), cause: error })
        : (error as Exclude<E, SqlError>)
    )

/** The service of a managed server may not have the functions, or may not allow them. */
const isHidden = ({ reason: { cause } }: SqlError): boolean =>
  isCoded(cause) && "code" in cause && ["42501", "42883", "0A000"].includes(cause.code)

/** Refuses a database that forgets commits after a crash of its host, and finds out whether it says which one it is. */
export const open = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<Database, LedgerError> {
  const { identity, sql } = database
  if (identity !== undefined) {
    const asked = Effect.as(sql`SELECT ${identity} AS identity`, database)
    return yield* asked.pipe(
      Effect.catchIf(isHidden, () => Effect.succeed({ ...database, identity: undefined })),
      reporting("open")
    )
  }
  const [row] = yield* reporting("open")(sql<{ readonly synchronous: number }>`PRAGMA synchronous`)
  if (Number(row?.synchronous) >= 2) return database
  return yield* new LedgerError({ operation: "open", reason: "SQLite needs PRAGMA synchronous = FULL" })
})
