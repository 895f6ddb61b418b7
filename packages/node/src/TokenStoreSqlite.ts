/**
 * Sessions in a SQLite file, through Node's own `node:sqlite`: durable on one host, shared by all of its processes.
 *
 * Specification: "Persist the newest refresh token immediately after each refresh."
 *
 * @since 0.1.0
 */
import { type StoreOptions, TokenStore } from "@effect-custody/authentication/TokenStore"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"

/**
 * Where the sessions are kept, and how they are encrypted.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends StoreOptions {
  /**
   * The file, in a directory that exists, on a local disk (SQLite's shared memory does not work over a network). It is
   * created with mode 0600 if there is none.
   */
  readonly path: string
}

/**
 * A store in one SQLite file, for any number of processes on this host.
 *
 * - A record is on the disk (WAL, `synchronous = FULL`) before `compareAndSwap` returns.
 * - Only the file's owner may read it. A store that others could read is closed to them when it is opened, and a
 * warning says that it was open.
 * - A file that is not such a store is refused and left as it is.
 * - It holds one connection until the layer's scope is closed. Do not read the file by other means in this process
 * meanwhile: closing it there would drop SQLite's locks. Copy it with `sqlite3 <file> .backup`, not with `cp`.
 *
 * It fails with `ConfigurationInvalid` if an option is wrong, and with `TokenStoreError` if the file cannot be opened;
 * its operations with `TokenStoreError` if the file is moved, damaged, full, or busy for more than five seconds.
 *
 * @example
 * ```ts
 * import { TokenStoreSqlite } from "@effect-custody/node"
 * import { Redacted } from "effect"
 *
 * const store = TokenStoreSqlite.layer({
 *   path: "/var/lib/payouts/session.db",
 *   key: Redacted.make(process.env.CUSTODY_SESSION_KEY!)
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<TokenStore, TokenStoreError | ConfigurationInvalid> =>
  Layer.effect(
    TokenStore,
    Effect.gen(function* () {
      const { path } = yield* Effect.mapError(
        decodeOptions(options),
        () => new ConfigurationInvalid({ option: "path", reason: "must be the path of a file" })
      )
      // As an absolute path, `:memory:` and `file:…` are names like any other.
      const file = yield* open(Path.resolve(path))
      if (file.wasOpenToOthers) {
        yield* Effect.logWarning(`${path} could be read by others: its mode is 0600 now`)
      }
      return yield* TokenStore.make(rows(file), options)
    })
  )

const decodeOptions = Schema.decodeUnknownEffect(
  // SQLite would end the name at a NUL.
  Schema.Struct({ path: Schema.String.check(Schema.isNonEmpty(), Schema.isPattern(/^[^\0]*$/)) })
)

/** How long SQLite itself may wait for another process, blocking this one; then we wait, blocking nobody. */
const busyTimeoutMillis = 10

const whileBusy = Schedule.min([Schedule.exponential("5 millis"), Schedule.spaced("100 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "5 seconds" })
)

/** Why the file could not be used; `busy`: only for now. */
class Unusable extends Data.TaggedError("Unusable")<{ readonly reason: string; readonly busy?: boolean }> {}

/** What SQLite's primary result codes mean to the person in charge; 5, 6 and 15 pass. */
const sqliteReasons: Readonly<Record<number, string>> = {
  3: "this process may not read and write it",
  5: "another process keeps it locked",
  6: "another connection keeps it locked",
  8: "it is read-only for this process",
  10: "the disk does not read or write it",
  11: "it is damaged",
  13: "the disk is full",
  14: "this process may not read and write it and its directory",
  15: "another process keeps it locked",
  26: "it is not a SQLite database, and was left as it is"
}

const fileReasons: Readonly<Record<string, string>> = {
  ENOENT: "its directory does not exist",
  ENOTDIR: "its directory is not a directory",
  EACCES: "this process may not read and write it",
  EPERM: "this process may not read and write it",
  EROFS: "its file system is read-only",
  ENOSPC: "the disk is full"
}

const SqliteFailure = Schema.Struct({ errcode: Schema.Int })
const FileFailure = Schema.Struct({ code: Schema.String })
const isSqliteFailure = Schema.is(SqliteFailure)
const isFileFailure = Schema.is(FileFailure)

const unusable = (cause: unknown): Unusable => {
  if (cause instanceof Unusable) return cause
  const said = cause instanceof Error ? cause.message : "it failed"
  if (isSqliteFailure(cause)) {
    const code = cause.errcode & 0xff
    return new Unusable({ reason: sqliteReasons[code] ?? said, busy: code === 5 || code === 6 || code === 15 })
  }
  return new Unusable({ reason: (isFileFailure(cause) ? fileReasons[cause.code] : undefined) ?? said })
}

/** Runs blocking calls on the file, again while it is busy. */
const attempt = <A>(operation: TokenStoreError["operation"], path: string, calls: () => A) =>
  Effect.try({ try: calls, catch: unusable }).pipe(
    Effect.retry({ schedule: whileBusy, while: (failure) => failure.busy === true }),
    Effect.mapError(({ reason }) => new TokenStoreError({ operation, reason: `${path}: ${reason}` }))
  )

/** An open store. */
interface File {
  readonly path: string
  readonly database: DatabaseSync
  /** The file that was opened, wherever it is now. */
  readonly place: string
  readonly wasOpenToOthers: boolean
}

const open = (path: string) =>
  Effect.acquireRelease(
    attempt("open", path, () => openNow(path)),
    ({ database }) => Effect.ignore(Effect.try({ try: () => database.close(), catch: unusable })),
    { interruptible: true }
  )

const openNow = (path: string): File => {
  create(path)
  const stat = Fs.statSync(path)
  if (!stat.isFile()) throw new Unusable({ reason: "it is not a file" })
  // SQLite would open it for reading alone, and leave files beside it that nobody can write.
  Fs.accessSync(path, Fs.constants.R_OK | Fs.constants.W_OK)
  const database = new DatabaseSync(path, { timeout: busyTimeoutMillis })
  try {
    const isNew = identify(database)
    // Written every time: a store that cannot be written is told now, not when the first token has been spent.
    database.exec(`BEGIN IMMEDIATE; PRAGMA application_id = ${applicationId}; ${table}; COMMIT`)
    const mode = database.prepare("PRAGMA journal_mode = WAL").get()
    if (mode?.journal_mode !== "wal") throw new Unusable({ reason: "its file system does not support WAL" })
    // `fullfsync`: on macOS, an ordinary fsync leaves the record in the disk's cache.
    database.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    const wasOpenToOthers = closeToOthers(path)
    return { path, database, place: placeOf(path), wasOpenToOthers: wasOpenToOthers && !isNew }
  } catch (cause) {
    database.close()
    throw cause
  }
}

/**
 * Makes an empty file for this user alone, if there is none. A file that is there is never opened but by SQLite: to
 * close it again would drop the locks of every connection to it in this process.
 */
const create = (path: string) => {
  try {
    Fs.closeSync(Fs.openSync(path, "wx", 0o600))
  } catch (cause) {
    if (!(isFileFailure(cause) && cause.code === "EEXIST")) throw cause
  }
}

/** "cust", where SQLite has room for a file's type. */
const applicationId = 0x63757374

const table =
  "CREATE TABLE IF NOT EXISTS custody_sessions (identity TEXT PRIMARY KEY, version INTEGER NOT NULL, text TEXT NOT NULL) STRICT"

/** Whether the database is still empty; refused if it is somebody else's. */
const identify = (database: DatabaseSync): boolean => {
  const about = database
    .prepare("SELECT (SELECT application_id FROM pragma_application_id) AS id, count(*) AS tables FROM sqlite_schema")
    .get()
  if (about?.id === applicationId) return false
  if (about?.id === 0 && about.tables === 0) return true
  throw new Unusable({ reason: "it is a database of something else, and was left as it is" })
}

/** Takes the file, and what SQLite keeps beside it, away from everybody but its owner: whether that was necessary. */
const closeToOthers = (path: string): boolean => {
  // Windows has no modes.
  if (process.platform === "win32") return false
  // SQLite keeps the others where the file is, not where a link to it is, and gives them its mode when it makes them.
  const real = Fs.realpathSync(path)
  const open = [real, `${real}-wal`, `${real}-shm`, `${real}-journal`].filter((name) => {
    const stat = Fs.statSync(name, { throwIfNoEntry: false })
    return stat !== undefined && (stat.mode & 0o077) !== 0
  })
  try {
    for (const name of open) Fs.chmodSync(name, 0o600)
  } catch {
    throw new Unusable({ reason: "others may read it, and this process cannot change its mode to 0600" })
  }
  return open.length > 0
}

/** Which file a path names now. */
const placeOf = (path: string): string => {
  const stat = Fs.statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "nowhere" : `${stat.dev}:${stat.ino}`
}

const Row = Schema.Struct({ version: Schema.Int, text: Schema.String })
const decodeRow = Schema.decodeUnknownOption(Row)

const rows = ({ database, path, place }: File) => {
  const select = database.prepare("SELECT version, text FROM custody_sessions WHERE identity = ?")
  const insert = database.prepare(
    "INSERT INTO custody_sessions (identity, version, text) VALUES (?, 1, ?) ON CONFLICT DO NOTHING"
  )
  const update = database.prepare(
    "UPDATE custody_sessions SET version = version + 1, text = ? WHERE identity = ? AND version = ?"
  )
  // What is written to a file that was deleted or replaced is lost with this process.
  const inPlace = () => {
    if (placeOf(path) !== place) throw new Unusable({ reason: "it was moved, deleted or replaced while it was open" })
  }
  return {
    load: (identity: string) =>
      attempt("load", path, () => {
        inPlace()
        const row = select.get(identity)
        if (row === undefined) return Option.none()
        const decoded = decodeRow(row)
        if (Option.isNone(decoded)) throw new Unusable({ reason: "a row cannot be read" })
        return decoded
      }),
    compareAndSwap: (identity: string, expectedVersion: number, text: string) =>
      attempt("compareAndSwap", path, () => {
        inPlace()
        const { changes } =
          expectedVersion === 0 ? insert.run(identity, text) : update.run(text, identity, expectedVersion)
        return changes === 1
      })
  }
}
