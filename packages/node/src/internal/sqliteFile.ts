/**
 * The SQLite file of a store: opened, checked, and opened again if it goes away. The calls block, as SQLite's do.
 */
import * as OperatorLog from "@effect-custody/core/OperatorLog"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { carryOver, create, isFileFailure, type Lost, type Place, placeOf, placeOfOne, salvage } from "./sqliteGone.ts"

/** How long SQLite itself may wait for another process, blocking this one; then we wait, blocking nobody. */
const busyTimeoutMillis = 10

const whileBusy = Schedule.min([Schedule.exponential("5 millis"), Schedule.spaced("100 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "5 seconds" })
)

/** Why the file could not be used; `busy`: only for now. */
export class Unusable extends Data.TaggedError("Unusable")<{ readonly reason: string; readonly busy?: boolean }> {}

/** What SQLite's primary result codes mean to the person in charge; 5, 6 and 15 pass. */
const sqliteReasons: Readonly<Record<number, string>> = {
  1: "its table is missing, or was changed",
  3: "this process may not read and write it",
  5: "another process keeps it locked",
  6: "another connection keeps it locked",
  8: "it is read-only for this process",
  10: "the disk does not read or write it",
  11: "it is damaged",
  13: "the disk is full",
  14: "this process may not read and write it and its directory",
  15: "another process keeps it locked",
  19: "a constraint or a trigger in it refuses the record",
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
const isSqliteFailure = Schema.is(SqliteFailure)

/** Never SQLite's own message: a trigger may put a record into it. */
const unusable = (cause: unknown): Unusable => {
  if (cause instanceof Unusable) return cause
  if (isSqliteFailure(cause)) {
    const code = cause.errcode & 0xff
    const reason = sqliteReasons[code] ?? `SQLite's result code is ${cause.errcode}`
    return new Unusable({ reason, busy: code === 5 || code === 6 || code === 15 })
  }
  const code = isFileFailure(cause) ? cause.code : undefined
  return new Unusable({
    reason: code === undefined ? "it cannot be used" : (fileReasons[code] ?? `it cannot be used (${code})`)
  })
}

/** Runs blocking calls on the file, again while it is busy. */
const attempt = <A>(operation: TokenStoreError["operation"], path: string, calls: () => A) =>
  Effect.try({ try: calls, catch: unusable }).pipe(
    Effect.retry({ schedule: whileBusy, while: (failure) => failure.busy === true }),
    Effect.mapError(({ reason }) => new TokenStoreError({ operation, reason: `${path}: ${reason}` }))
  )

/** The statements on an open file. */
export interface Statements {
  readonly select: StatementSync
  readonly insert: StatementSync
  readonly update: StatementSync
}

interface Connection extends Statements, Place {
  readonly database: DatabaseSync
  readonly wasOpenToOthers: boolean
  /** Whether no text in clear can be left in the file's bytes. Always true without a key: nothing is hidden. */
  readonly isScrubbed: boolean
}

interface State {
  readonly connection: Connection | undefined
  /** What was in the file that went away, and is not yet in the one that takes its place. */
  readonly carried: Lost | undefined
  readonly isClosed: boolean
}

/** How to let go of each file that this process has open, if it is not what was opened. */
const openHere = new Set<() => void>()

export interface SqliteFile extends Effect.Success<ReturnType<typeof open>> {}

/** Opens the file until the scope is closed. `isSealed`: its records are encrypted. */
export const open = Effect.fnUntraced(function* (path: string, isSealed: boolean) {
  const state = MutableRef.make<State>({ connection: undefined, carried: undefined, isClosed: false })

  const close = () => {
    openHere.delete(letGo)
    const { connection } = MutableRef.get(state)
    MutableRef.set(state, { connection: undefined, carried: undefined, isClosed: true })
    connection?.database.close()
  }

  /** Closes the file if it, or what SQLite keeps beside it, is not what was opened; what was in it is carried over. */
  const letGo = () => {
    const { connection, isClosed } = MutableRef.get(state)
    if (connection === undefined || placeOf(path, connection.real) === connection.place) return
    MutableRef.set(state, { connection: undefined, carried: salvage(connection), isClosed })
    connection.database.close()
  }

  /** Opens the file again if it is not what was opened: whether that was necessary. */
  const reopen = (): boolean => {
    if (MutableRef.get(state).isClosed) throw new Unusable({ reason: "the store is closed" })
    letGo()
    if (MutableRef.get(state).connection !== undefined) return false
    // All are closed before one is opened: within a process, they would share the removed `-shm`.
    for (const other of openHere) other()
    const { carried: lost, isClosed } = MutableRef.get(state)
    const opened = connect(path, isSealed)
    try {
      if (lost !== undefined) carryOver(opened, lost)
    } catch (cause) {
      opened.database.close()
      throw cause
    }
    MutableRef.set(state, { connection: opened, carried: undefined, isClosed })
    return true
  }

  const connected = (): Connection => {
    const { connection } = MutableRef.get(state)
    if (connection === undefined) throw new Unusable({ reason: "it went away" })
    return connection
  }

  const first = yield* Effect.acquireRelease(
    attempt("open", path, () => {
      reopen()
      return connected()
    }),
    () => Effect.ignore(Effect.try({ try: close, catch: unusable })),
    { interruptible: true }
  )

  openHere.add(letGo)

  return {
    wasOpenToOthers: first.wasOpenToOthers,
    /** Makes sure that the file is the one that the path names: whether it had to be opened again. */
    present: (operation: TokenStoreError["operation"]) =>
      attempt(operation, path, reopen).pipe(
        Effect.tap((wasReopened) => (wasReopened ? OperatorLog.report("store.replaced", path) : Effect.void))
      ),
    /** Runs statements on the file. */
    use: <A>(operation: TokenStoreError["operation"], calls: (statements: Statements) => A) =>
      attempt(operation, path, () => calls(connected())),
    /** After a write with a key: once no record is in clear, no clear text is left in the file's bytes. */
    scrub: Effect.sync(() => {
      const now = MutableRef.get(state)
      const { connection } = now
      if (connection === undefined || connection.isScrubbed || !scrub(connection.database)) return
      MutableRef.set(state, { ...now, connection: { ...connection, isScrubbed: true } })
    })
  }
})

/** Opens the file as it is now. */
const connect = (path: string, isSealed: boolean): Connection => {
  create(path)
  const stat = Fs.statSync(path)
  if (!stat.isFile()) throw new Unusable({ reason: "it is not a file" })
  // SQLite keeps the others where the file is, not where a link to it is.
  const real = Fs.realpathSync(path)
  refuseOthersFiles(real)
  // SQLite would open it for reading alone, and leave files beside it that nobody can write.
  Fs.accessSync(path, Fs.constants.R_OK | Fs.constants.W_OK)
  const database = new DatabaseSync(path, { timeout: busyTimeoutMillis })
  try {
    const { isNew, isScrubbed } = identify(database)
    const mode = database.prepare("PRAGMA journal_mode = WAL").get()
    if (mode?.journal_mode !== "wal") throw new Unusable({ reason: "its file system does not support WAL" })
    // `fullfsync`: on macOS, an ordinary fsync leaves the record in the disk's cache.
    // `secure_delete`: what was replaced is not left in the file.
    database.exec(
      "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; PRAGMA secure_delete = ON"
    )
    const clean = isSealed && (isNew || isScrubbed)
    // Written every time: a store that cannot be written is told now, not when the first token has been spent.
    database.exec(
      `BEGIN IMMEDIATE; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${clean ? scrubbed : 0}; ${table}; COMMIT`
    )
    const wasOpenToOthers = closeToOthers(real)
    return {
      database,
      file: placeOfOne(path),
      place: placeOf(path, real),
      real,
      wasOpenToOthers: wasOpenToOthers && !isNew,
      isScrubbed: !isSealed || clean || scrub(database),
      select: database.prepare("SELECT version, text FROM custody_sessions WHERE identity = ?"),
      insert: database.prepare(
        "INSERT INTO custody_sessions (identity, version, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
      ),
      update: database.prepare("UPDATE custody_sessions SET version = ?, text = ? WHERE identity = ? AND version = ?")
    }
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** "cust", where SQLite has room for a file's type. */
const applicationId = 0x63757374

/** The `user_version` of a file that has no clear text left in its bytes. */
const scrubbed = 1

const table =
  "CREATE TABLE IF NOT EXISTS custody_sessions (identity TEXT PRIMARY KEY, version INTEGER NOT NULL, text TEXT NOT NULL) STRICT"

/** Whether the database is still empty, and whether it is scrubbed; refused if it is somebody else's. */
const identify = (database: DatabaseSync) => {
  const about = database
    .prepare(
      `SELECT (SELECT application_id FROM pragma_application_id) AS id, count(*) AS tables,
        (SELECT user_version FROM pragma_user_version) AS version FROM sqlite_schema`
    )
    .get()
  if (about?.id === applicationId) return { isNew: false, isScrubbed: about.version === scrubbed }
  if (about?.id === 0 && about.tables === 0) return { isNew: true, isScrubbed: false }
  throw new Unusable({ reason: "it is a database of something else, and was left as it is" })
}

/** Writes the file anew if no record in it is in clear, so that no former one is left: whether that was done. */
const scrub = (database: DatabaseSync): boolean => {
  try {
    const inClear = database
      .prepare(
        "SELECT 1 FROM custody_sessions WHERE NOT json_valid(text) OR json_extract(text, '$.sealed') IS NULL LIMIT 1"
      )
      .get()
    if (inClear !== undefined) return false
    database.exec("VACUUM")
    const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()
    if (checkpoint?.busy !== 0) return false
    database.exec(`PRAGMA user_version = ${scrubbed}`)
    return true
  } catch {
    // Another process is at work: after the next write.
    return false
  }
}

/** The file, and what SQLite keeps beside it. */
const filesOf = (real: string) =>
  [real, `${real}-wal`, `${real}-shm`, `${real}-journal`].flatMap((name) => {
    const stat = Fs.statSync(name, { throwIfNoEntry: false })
    return stat === undefined ? [] : [{ name, stat }]
  })

/** Refuses files of another user, who could read and replace them, even if this process is root. */
const refuseOthersFiles = (real: string) => {
  const user = process.geteuid?.()
  if (user === undefined) return
  const other = filesOf(real).find(({ stat }) => stat.uid !== user)
  if (other === undefined) return
  throw new Unusable({
    reason: `${other.name === real ? "it" : other.name} belongs to user ${other.stat.uid}, and this process is user ${user}`
  })
}

/** Takes the file, and what SQLite keeps beside it, away from everybody but its owner: whether that was necessary. */
const closeToOthers = (real: string): boolean => {
  // Windows has no modes.
  if (process.platform === "win32") return false
  const open = filesOf(real).filter(({ stat }) => (stat.mode & 0o077) !== 0)
  try {
    for (const { name } of open) Fs.chmodSync(name, 0o600)
  } catch {
    throw new Unusable({ reason: "others may read it, and this process cannot change its mode to 0600" })
  }
  return open.length > 0
}
