/** Opens the SQLite file of a store as it is, and checks it. The calls block, as SQLite's do. */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import { DatabaseSync, type StatementSync } from "node:sqlite"

/** How long SQLite itself may wait for another process, blocking this one. */
const busyTimeoutMillis = 10

/** Why the file could not be used. */
export class Unusable extends Data.TaggedError("Unusable")<{
  readonly reason: string
  /** Only for now. */
  readonly busy?: boolean
  /** The disk is full: reads still work over the connection, and a new one could not be made. */
  readonly full?: boolean
}> {}

export const isFileFailure = Schema.is(Schema.Struct({ code: Schema.String }))

/** The statements on an open file. */
export interface Statements {
  readonly select: StatementSync
  readonly insert: StatementSync
  readonly update: StatementSync
}

/** An open file. */
export interface Connection extends Statements {
  readonly database: DatabaseSync
  /** The file that was opened, wherever it is. */
  readonly file: string
  readonly wasOpenToOthers: boolean
  /** Whether no text in clear can be left in the file's bytes. Always true without a key: nothing is hidden. */
  readonly isScrubbed: boolean
}

/** Which file a path names. */
export const fileOf = (path: string): string => {
  const stat = Fs.statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "none" : `${stat.dev}:${stat.ino}`
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

/** Opens the file as it is now. */
export const connect = (path: string, isSealed: boolean): Connection => {
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
      file: fileOf(path),
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
export const scrub = (database: DatabaseSync): boolean => {
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
