/**
 * The embedded database of a ledger: a SQLite file, through Node's own `node:sqlite`, for the processes of one host.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Fs from "node:fs"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"

/**
 * The file of a ledger.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The file, on a local disk. Created with mode 0600 if it does not exist. `:memory:` is a ledger that is not kept. */
  readonly filename: string
  /** How long to wait while another process writes. Default: 10 seconds. */
  readonly busyTimeout?: Duration.Input | undefined
}

const Failure = Schema.Struct({ errcode: Schema.Int })
const isFailure = Schema.is(Failure)

/** `node:sqlite` has SQLite's result code in `errcode`. */
const resultCode = (cause: unknown): number | undefined => (isFailure(cause) ? cause.errcode : undefined)

const failed = (operation: string) => (cause: unknown) =>
  new SqlError({
    reason: classifySqliteError(
      { cause, errno: resultCode(cause), message: cause instanceof Error ? cause.message : undefined },
      { message: `SQLite failed to ${operation}`, operation }
    )
  })

const isBusy = ({ reason }: SqlError): boolean => reason._tag === "LockTimeoutError"

/** The maximum number of prepared statements that a connection keeps. */
const maxStatements = 200

/** `node:sqlite` takes neither booleans nor `undefined`. */
const toInput = (value: unknown): SQLInputValue => {
  if (typeof value === "boolean") return Number(value)
  if (value === undefined || value === null) return null
  // SQLite refuses any other value with an error.
  return value as SQLInputValue
}

interface Mode {
  readonly arrays?: boolean
  readonly raw?: boolean
  readonly unprepared?: boolean
}

const connect = (database: DatabaseSync, whileBusy: Schedule.Schedule<unknown>): Connection => {
  const cache = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const known = cache.get(sql)
    if (known !== undefined) return known
    if (cache.size >= maxStatements) cache.clear()
    const statement = database.prepare(sql)
    cache.set(sql, statement)
    return statement
  }
  const execute = (sql: string, parameters: ReadonlyArray<unknown>, mode: Mode, bigints: boolean): any => {
    const statement = mode.unprepared === true ? database.prepare(sql) : prepare(sql)
    statement.setReadBigInts(bigints)
    statement.setReturnArrays(mode.arrays === true)
    const values = parameters.map(toInput)
    if (statement.columns().length > 0) return statement.all(...values)
    const result = statement.run(...values)
    return mode.raw === true ? result : []
  }
  const run = (sql: string, parameters: ReadonlyArray<unknown> = [], mode: Mode = {}): Effect.Effect<any, SqlError> =>
    Effect.withFiber((fiber) =>
      Effect.try({
        try: () => execute(sql, parameters, mode, Context.get(fiber.context, SqlClient.SafeIntegers)),
        catch: failed("execute")
      }).pipe(
        // Waits without blocking this process. Inside a transaction, which begins as IMMEDIATE, it does not happen.
        Effect.retry({ while: (error) => isBusy(error) && !database.isTransaction, schedule: whileBusy })
      )
    )
  const transformed = (
    rows: Effect.Effect<any, SqlError>,
    transform: ((rows: ReadonlyArray<any>) => ReadonlyArray<any>) | undefined
  ) => (transform === undefined ? rows : Effect.map(rows, transform))
  return {
    execute: (sql, parameters, transform) => transformed(run(sql, parameters), transform),
    executeRaw: (sql, parameters) => run(sql, parameters, { raw: true }),
    executeValues: (sql, parameters) => run(sql, parameters, { arrays: true }),
    executeValuesUnprepared: (sql, parameters) => run(sql, parameters, { arrays: true, unprepared: true }),
    executeUnprepared: (sql, parameters, transform) =>
      transformed(run(sql, parameters, { unprepared: true }), transform),
    executeStream: (sql, parameters, transform) =>
      Stream.unwrap(Effect.map(transformed(run(sql, parameters), transform), Stream.fromIterable))
  }
}

/** Creates an empty file for this user alone. An existing file is left to SQLite, whose locks a close would drop. */
const create = (filename: string): void => {
  if (filename === ":memory:" || Fs.existsSync(filename)) return
  Fs.closeSync(Fs.openSync(filename, "a", 0o600))
}

/**
 * A `SqlClient` over a SQLite file. A commit is on the disk before it returns (WAL, `synchronous = FULL`). Any number of
 * processes of one host may share the file. It holds one connection until the layer's scope is closed.
 *
 * Fails with `SqlError` if the file cannot be opened.
 *
 * @example
 * ```ts
 * import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
 * import { Layer } from "effect"
 *
 * const ledger = Payouts.layer().pipe(Layer.provide(LedgerSqlite.layer({ filename: "ledger.db" })))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = ({ busyTimeout = "10 seconds", filename }: Options): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const whileBusy = Schedule.spaced("4 millis").pipe(
        Schedule.jittered,
        Schedule.upTo({ duration: Duration.fromInputUnsafe(busyTimeout) })
      )
      const sqlite = yield* Effect.promise(() => import("node:sqlite"))
      const database = yield* Effect.acquireRelease(
        Effect.try({
          try: () => {
            create(filename)
            // SQLite's own waiting would block this process, and with it every timer and socket.
            return new sqlite.DatabaseSync(filename, { timeout: 0 })
          },
          catch: failed("open")
        }),
        (opened) => Effect.sync(() => opened.close())
      )
      const settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON"
      yield* Effect.try({ try: () => database.exec(settings), catch: failed("open") }).pipe(
        Effect.retry({ while: isBusy, schedule: whileBusy })
      )
      const isTransaction = () => database.isTransaction
      const connection = Effect.succeed(connect(database, whileBusy))
      const semaphore = yield* Semaphore.make(1)
      return yield* SqlClient.make({
        ...SqlClient.makeSqliteAcquirers({ connection, semaphore, isTransaction }),
        compiler: Statement.makeCompilerSqlite(),
        driver: "sqlite-node",
        beginTransaction: "BEGIN IMMEDIATE",
        spanAttributes: [["db.system.name", "sqlite"]]
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
