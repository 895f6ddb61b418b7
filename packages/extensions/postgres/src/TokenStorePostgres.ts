/**
 * Sessions in PostgreSQL, shared by any number of hosts.
 *
 * Specification: "Persist the newest refresh token immediately after each refresh."
 *
 * @since 0.1.0
 */
import * as RowStore from "@effect-custody/authentication/RowStore"
import { type Row, type StoreOptions, TokenStore } from "@effect-custody/authentication/TokenStore"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import { PgClient } from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"

/**
 * A store in the table `custody_sessions` of the database of `PgClient`: bring your own pool. The layer creates the table
 * if it does not exist. If the database user may not do that, create it beforehand, and grant SELECT, INSERT and UPDATE:
 *
 * ```sql
 * CREATE TABLE custody_sessions (identity text PRIMARY KEY, version bigint NOT NULL, text text NOT NULL);
 * ```
 *
 * - Every operation is one unnamed statement on a connection of its own: a pooler may share connections by transaction,
 *   and your rollback undoes no swap. A pool needs one connection more than your transactions hold at once.
 * - A swap is on the server's disk before it returns, even if `synchronous_commit` is off.
 * - The database must be the primary, because the records of a standby are old.
 *
 * The layer fails with `ConfigurationInvalid` if a key is wrong, and with `TokenStoreError` without the database or the
 * table. An operation fails with `TokenStoreError` after five seconds: a swap may then have been written, and conflicts when
 * it is repeated.
 *
 * @example
 * ```ts
 * import { TokenStorePostgres } from "@effect-custody/postgres"
 * import * as PgClient from "@effect/sql-pg/PgClient"
 * import { Config, Layer } from "effect"
 *
 * const store = TokenStorePostgres.layer().pipe(
 *   Layer.provide(PgClient.layerConfig({ url: Config.Redacted("DATABASE_URL") }))
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: StoreOptions = {}
): Layer.Layer<TokenStore, TokenStoreError | ConfigurationInvalid, PgClient> =>
  Layer.effect(
    TokenStore,
    Effect.gen(function* () {
      const client = yield* PgClient
      const store = yield* RowStore.make(rows(client), options)
      yield* createTable(client)
      return store
    })
  )

const timeLimit = "5 seconds"

/** Makes the commit of this statement wait for the disk. */
const durably = `(
  SELECT set_config(
    'synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
    true
  ) AS level
) AS durably`

const statements = {
  find: "SELECT 1 WHERE to_regclass('custody_sessions') IS NOT NULL",
  create:
    "CREATE TABLE IF NOT EXISTS custody_sessions (identity text PRIMARY KEY, version bigint NOT NULL, text text NOT NULL)",
  select: "SELECT version::text, text FROM custody_sessions WHERE identity = $1::text",
  insert: `INSERT INTO custody_sessions (identity, version, text)
    SELECT $1::text, $2::bigint, $3::text FROM ${durably} WHERE durably.level IS NOT NULL
    ON CONFLICT (identity) DO NOTHING RETURNING version::text`,
  update: `UPDATE custody_sessions SET version = $2::bigint, text = $3::text
    FROM ${durably} WHERE durably.level IS NOT NULL AND identity = $1::text AND version = $4::bigint
    RETURNING version::text`
}

/** Rows as arrays, so that no transformation of names in the client matters. */
type Rows = ReadonlyArray<ReadonlyArray<unknown>>

/** Runs one unnamed statement outside of any open transaction. */
const run = (client: PgClient, sql: string, parameters: ReadonlyArray<string>): Effect.Effect<Rows, SqlError> =>
  Effect.scoped(Effect.flatMap(client.reserve, (connection) => connection.executeValuesUnprepared(sql, parameters)))

/** The SQLSTATEs that tell a person what to do. */
const sqlStates: Readonly<Record<string, string>> = {
  "25006": "the database is read-only: a standby, or not the primary any more",
  "28000": "the user may not log in",
  "28P01": "the password is wrong",
  "3D000": "the database does not exist",
  "42501": "the user may not do this",
  "42P01": "the table custody_sessions does not exist",
  "53100": "the database's disk is full",
  "53300": "the database has too many connections",
  "57P01": "the database is shutting down",
  "57P03": "the database is starting"
}

const Coded = Schema.Struct({ code: Schema.String })
const isCoded = Schema.is(Coded)
const isSqlState = Schema.is(Schema.String.check(Schema.isPattern(/^(?=.*[0-9])[0-9A-Z]{5}$/)))
/** Codes such as ECONNREFUSED. */
const isName = Schema.is(Schema.String.check(Schema.isPattern(/^[A-Z_]{1,40}$/)))

/** Describes a failure by its code, never by the server's message, because a trigger may put a record into it. */
const describeFailure = ({ reason: { cause } }: SqlError): string => {
  const code: unknown = isCoded(cause) ? cause.code : undefined
  if (isSqlState(code)) return `${sqlStates[code] ?? "the database refuses the statement"} (SQLSTATE ${code})`
  return isName(code) ? `the database cannot be reached (${code})` : "the database cannot be reached"
}

const reporting = (operation: TokenStoreError["operation"]) => (ran: Effect.Effect<Rows, SqlError>) =>
  ran.pipe(
    Effect.mapError((error) => new TokenStoreError({ operation, reason: describeFailure(error) })),
    Effect.timeoutOrElse({
      duration: timeLimit,
      orElse: () => new TokenStoreError({ operation, reason: `the database did not answer within ${timeLimit}` })
    })
  )

const find = (client: PgClient) =>
  Effect.map(reporting("open")(run(client, statements.find, [])), (found) => found.length > 0)

/** Creates the table. If several hosts do it at once, all but one fail, and then find the table. */
const createTable = Effect.fnUntraced(function* (client: PgClient) {
  if (yield* find(client)) return
  const created = yield* Effect.result(reporting("open")(run(client, statements.create, [])))
  if (Result.isFailure(created) && !(yield* find(client))) return yield* created.failure
})

/**
 * Whether the database has the table `custody_sessions`. Creates nothing. Fails with `TokenStoreError` if the database
 * cannot be asked.
 *
 * @example
 * ```ts
 * import { TokenStorePostgres } from "@effect-custody/postgres"
 * import { Console, Effect } from "effect"
 *
 * const program = Effect.flatMap(TokenStorePostgres.hasTable, (found) =>
 *   Console.log(found ? "There are sessions." : "No client has been here.")
 * )
 * ```
 *
 * @since 0.1.0
 * @category accessors
 */
export const hasTable: Effect.Effect<boolean, TokenStoreError, PgClient> = Effect.flatMap(PgClient, find)

const decodeRow = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.FiniteFromString.pipe(Schema.check(Schema.isInt())), Schema.String])
)

const rows = (client: PgClient) => ({
  load: Effect.fnUntraced(function* (identity: string) {
    const [row] = yield* reporting("load")(run(client, statements.select, [identity]))
    if (row === undefined) return Option.none()
    const [version, text] = yield* Effect.mapError(
      decodeRow(row),
      () => new TokenStoreError({ operation: "load", reason: "a row cannot be read" })
    )
    return Option.some({ version, text })
  }),
  compareAndSwap: (identity: string, expectedVersion: number, { text, version }: Row) =>
    (expectedVersion === 0
      ? run(client, statements.insert, [identity, String(version), text])
      : run(client, statements.update, [identity, String(version), text, String(expectedVersion)])
    ).pipe(
      // Under a stricter isolation, the loser of a race gets an error instead of an empty answer.
      Effect.catchIf(
        ({ reason }) => reason._tag === "SerializationError",
        () => Effect.succeed<Rows>([])
      ),
      reporting("compareAndSwap"),
      Effect.map((swapped) => swapped.length === 1)
    )
})
