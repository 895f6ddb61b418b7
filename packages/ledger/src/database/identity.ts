/**
 * Notices that the database is another one: a standby that took over, or a restored copy, may have lost what was
 * committed. The name of the database at the last comparison with the history is in the ledger itself.
 */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { type Database, rowsOf } from "./database.ts"

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

const identityOf = ({ identity, sql }: Database): Fragment => identity ?? sql`'hidden'`

/** The name of a database that has changed, until it is compared. */
const changed = (database: Database): Fragment => database.sql`'changed ' || ${identityOf(database)}`

/** A condition: the database is the one of the last comparison, and has the events that a worker has seen committed. */
export const isUnchanged = (database: Database, who: string, { marks }: Committed): Fragment => {
  const { sql } = database
  const known = sql`(SELECT value FROM payout_meta WHERE name = 'database') = ${identityOf(database)}`
  if (marks.length === 0) return known
  const given = rowsOf(database, marks, { sequence: "bigint", at: "bigint" })
  return sql`${known} AND (SELECT count(*) FROM ${given} AS d JOIN payout_events e
    ON e.sequence = d.sequence AND e.at = d.at WHERE e.who = ${who}) = ${marks.length}`
}

/** Writes down that the database has changed, so that no worker claims anything until it is compared. */
export const noteChange = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const now = yield* database.now
  yield* sql`UPDATE payout_meta SET value = ${changed(database)}, until = ${now}
    WHERE name = 'database' AND value <> ${changed(database)}`
})

/** What is to be compared. */
export interface Change {
  /** The name under which it stands in the ledger. */
  readonly name: string
  /** How long ago the change was noticed, in milliseconds; `undefined` if the database is the one that was compared. */
  readonly age: number | undefined
}

/** Looks whether the database is the one of the last comparison. A ledger that was never compared is no change. */
export const findChange = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<Change, SqlError> {
  const { sql } = database
  const identity = identityOf(database)
  yield* Effect.flatMap(
    sql`SELECT 1 FROM payout_meta WHERE name = 'database' AND value NOT IN ('', ${identity}, ${changed(database)})`,
    (other) => (other.length > 0 ? noteChange(database) : Effect.void)
  )
  const now = yield* database.now
  const [row] = yield* sql<{ readonly value: string; readonly age: unknown }>`SELECT value, ${now} - until AS age
    FROM payout_meta WHERE name = 'database'`
  const name = row?.value ?? ""
  return { name, age: name.startsWith("changed ") ? Number(row?.age) : undefined }
})

/** Notes that a database was compared, unless it has changed since. */
export const noteCompared = (database: Database, { name }: Change): Effect.Effect<void, SqlError> =>
  Effect.asVoid(database.sql`UPDATE payout_meta SET value = ${identityOf(database)}, until = 0
    WHERE name = 'database' AND value = ${name}
      AND ${name} IN ('', ${identityOf(database)}, ${changed(database)})`)
