/**
 * The file of a store goes away, or its log does: what was in it is read, and written into the file that takes its place.
 * The calls block, as SQLite's do.
 */
import { hasMoreWrites, type Row as StoredRow } from "@effect-custody/authentication/TokenStore"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"

/** A row of the table. */
interface Row extends StoredRow {
  readonly identity: string
}

/** A file that is open, or was. */
export interface Place {
  /** The file that was opened, wherever it is now. */
  readonly file: string
  /** That file, and those that SQLite keeps beside it. */
  readonly place: string
  readonly real: string
}

interface Opened extends Place {
  readonly database: DatabaseSync
}

/** A file that went away, or whose log did. */
export interface Lost extends Place {
  readonly rows: ReadonlyArray<Row>
}

const FileFailure = Schema.Struct({ code: Schema.String })
export const isFileFailure = Schema.is(FileFailure)

/**
 * Makes an empty file for this user alone, if there is none. A file that is there is never opened but by SQLite: to
 * close it again would drop the locks of every connection to it in this process.
 */
export const create = (path: string) => {
  try {
    Fs.closeSync(Fs.openSync(path, "wx", 0o600))
  } catch (cause) {
    if (!(isFileFailure(cause) && cause.code === "EEXIST")) throw cause
  }
}

/** Prepares to close a file that went away, or whose log did, and returns what was in it. */
export const salvage = (opened: Opened): Lost => {
  const rows = rowsOf(opened.database)
  replaceEmptied(opened)
  // While they are open: later, a file that another process has made may have the number of one of them.
  removeIndex(opened)
  removeLog(opened)
  return { ...opened, rows }
}

const rowsOf = (database: DatabaseSync): ReadonlyArray<Row> => {
  try {
    const rows = database.prepare("SELECT identity, version, text FROM custody_sessions").all()
    return Option.getOrElse(decodeRows(rows), () => [])
  } catch {
    // Damaged: what this process has in memory is written anyway.
    return []
  }
}

const decodeRows = Schema.decodeUnknownOption(
  Schema.Array(Schema.Struct({ identity: Schema.String, version: Schema.Int, text: Schema.String }))
)

/**
 * Writes what was in the file that went away into the one that is there now. If it is the same file without its log, the
 * record with more writes stands; in another file, a record that is there stands, whatever it is: it may be an operator's.
 */
export const carryOver = ({ database, file }: Opened, lost: Lost) => {
  const find = database.prepare("SELECT version FROM custody_sessions WHERE identity = ?")
  const replace = database.prepare("REPLACE INTO custody_sessions (identity, version, text) VALUES (?, ?, ?)")
  database.exec("BEGIN IMMEDIATE")
  for (const { identity, text, version } of lost.rows) {
    const there = find.get(identity)?.version
    if (there === undefined || (file === lost.file && hasMoreWrites(version, Number(there))))
      replace.run(identity, version, text)
  }
  database.exec("COMMIT")
}

/**
 * Puts a new file in the place of ours if it was emptied: on closing, SQLite would write what is in its log into it, and
 * that may be a part of a database. Processes that do so at once agree on one new file by its name: each looks again
 * once that is there, and whoever comes second finds nothing to move.
 */
const replaceEmptied = ({ file, real }: Opened) => {
  const isOursAndEmpty = () => {
    const stat = statOf(real)
    return stat?.size === 0n && identityOf(stat) === file
  }
  if (!isOursAndEmpty()) return
  const fresh = `${real}.${file.replace(":", "-")}`
  create(fresh)
  try {
    if (isOursAndEmpty()) Fs.renameSync(fresh, real)
    else Fs.rmSync(fresh, { force: true })
  } catch (cause) {
    if (!(isFileFailure(cause) && cause.code === "ENOENT")) throw cause
  }
}

/**
 * Removes the index of a log that is not there any more, which other processes may still have open: SQLite would take it
 * for that of the log that it makes anew.
 */
const removeIndex = ({ place, real }: Opened) => {
  const [, log, index] = place.split(" ")
  const name = `${real}-shm`
  if (placeOfOne(`${real}-wal`) !== log && placeOfOne(name) === index) Fs.rmSync(name, { force: true })
}

/** Removes the log of a file that is not there any more: SQLite would play it into the one that takes its place. */
const removeLog = ({ file, place, real }: Opened) => {
  if (placeOfOne(real) === file) return
  const ours = place.split(" ")
  for (const name of [`${real}-wal`, `${real}-shm`])
    if (ours.includes(placeOfOne(name))) Fs.rmSync(name, { force: true })
}

const statOf = (path: string) => Fs.statSync(path, { bigint: true, throwIfNoEntry: false })

const identityOf = (stat: Fs.BigIntStats | undefined): string =>
  stat === undefined ? "nowhere" : `${stat.dev}:${stat.ino}`

/** Which file a path names now. */
export const placeOfOne = (path: string): string => identityOf(statOf(path))

/** Which files a store consists of now. `real`: where its file was when it was opened. An emptied file is another one. */
export const placeOf = (path: string, real: string): string => {
  const stat = statOf(path)
  const file = stat?.size === 0n ? "empty" : identityOf(stat)
  return [file, placeOfOne(`${real}-wal`), placeOfOne(`${real}-shm`)].join(" ")
}
