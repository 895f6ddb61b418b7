/** Opens the SQLite file of a store, and checks the file. Calls block the process, as SQLite's own calls do. */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import { DatabaseSync, type StatementSync } from "node:sqlite"

/** The maximum time for which SQLite itself waits for another process. The wait blocks this process. */
const busyTimeoutMillis = 10

/** The reason why the file cannot be used. */
export class Unusable extends Data.TaggedError("Unusable")<{
  readonly reason: string
  /** Another process has locked the file: try again. */
  readonly busy?: boolean
  /** The disk is full. Keep the connection, which can still read, because opening a new one would fail. */
  readonly full?: boolean
}> {}

export const isFileFailure = Schema.is(Schema.Struct({ code: Schema.String }))

export interface Statements {
  readonly select: StatementSync
  readonly insert: StatementSync
  readonly update: StatementSync
}

export interface Connection extends Statements {
  readonly database: DatabaseSync
  /** The identity of the opened file, which may have moved since. */
  readonly file: string
  readonly wasOpenToOthers: boolean
}

/** The identity of the file at a path. */
export const fileIdentity = (path: string): string => {
  const stat = Fs.statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "none" : `${stat.dev}:${stat.ino}`
}

/**
 * Creates an empty file for this user alone, if it does not exist. Only SQLite may open an existing file, because
 * closing it here would drop the locks of every connection to it in this process.
 */
const create = (path: string) => {
  try {
    Fs.closeSync(Fs.openSync(path, "wx", 0o600))
  } catch (cause) {
    if (!(isFileFailure(cause) && cause.code === "EEXIST")) throw cause
  }
}

/** Opens the file that is at the path now. */
export const connect = (path: string): Connection => {
  create(path)
  const stat = Fs.statSync(path)
  if (!stat.isFile()) throw new Unusable({ reason: "it is not a file" })
  // SQLite keeps its companion files beside the file itself, not beside a link to it.
  const real = Fs.realpathSync(path)
  refuseForeignFiles(real)
  // Check the access first. If this process may not write the file, SQLite would open the file as read-only, and leave
  // companion files that no process can write.
  Fs.accessSync(path, Fs.constants.R_OK | Fs.constants.W_OK)
  const database = new DatabaseSync(path, { timeout: busyTimeoutMillis })
  try {
    const isNew = identify(database)
    const mode = database.prepare("PRAGMA journal_mode = WAL").get()
    if (mode?.journal_mode !== "wal") throw new Unusable({ reason: "its file system does not support WAL" })
    // `fullfsync` is needed on macOS, where an ordinary fsync leaves the record in the disk's cache. With
    // `secure_delete`, SQLite leaves no replaced record in the file.
    database.exec(
      "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; PRAGMA secure_delete = ON"
    )
    // Write whenever the file is opened, so that a store that cannot be written fails now, and not after the first
    // token is spent.
    database.exec(`BEGIN IMMEDIATE; PRAGMA application_id = ${applicationId}; ${table}; COMMIT`)
    const wasOpenToOthers = closeToOthers(real)
    return {
      database,
      file: fileIdentity(path),
      wasOpenToOthers: wasOpenToOthers && !isNew,
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

/** "cust" in ASCII, for the header field in which SQLite stores the type of a file. */
const applicationId = 0x63757374

const table =
  "CREATE TABLE IF NOT EXISTS custody_sessions (identity TEXT PRIMARY KEY, version INTEGER NOT NULL, text TEXT NOT NULL) STRICT"

/** Returns `true` if the database is new. Refuses a database of another program. */
const identify = (database: DatabaseSync): boolean => {
  const about = database
    .prepare("SELECT (SELECT application_id FROM pragma_application_id) AS id, count(*) AS tables FROM sqlite_schema")
    .get()
  if (about?.id === applicationId) return false
  if (about?.id === 0 && about.tables === 0) return true
  throw new Unusable({ reason: "it is a database of something else, and was left as it is" })
}

/** The file, and its companions: the other files of SQLite beside it. */
const storeFiles = (real: string) =>
  [real, `${real}-wal`, `${real}-shm`, `${real}-journal`].flatMap((name) => {
    const stat = Fs.statSync(name, { throwIfNoEntry: false })
    return stat === undefined ? [] : [{ name, stat }]
  })

/** Refuses files of another user, even if this process is root, because that user could read and replace them. */
const refuseForeignFiles = (real: string) => {
  const user = process.geteuid?.()
  if (user === undefined) return
  const other = storeFiles(real).find(({ stat }) => stat.uid !== user)
  if (other === undefined) return
  throw new Unusable({
    reason: `${other.name === real ? "it" : other.name} belongs to user ${other.stat.uid}, and this process is user ${user}`
  })
}

/** Removes other users' access to the file and its companions. Returns `true` if they had access. */
const closeToOthers = (real: string): boolean => {
  // Windows has no file modes.
  if (process.platform === "win32") return false
  const open = storeFiles(real).filter(({ stat }) => (stat.mode & 0o077) !== 0)
  try {
    for (const { name } of open) Fs.chmodSync(name, 0o600)
  } catch {
    throw new Unusable({ reason: "others may read it, and this process cannot change its mode to 0600" })
  }
  return open.length > 0
}
