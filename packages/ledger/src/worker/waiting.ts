/** What waits for the history, and what the history has shown. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Condition from "../database/conditions.ts"
import { type Database, referencesOf } from "../database/database.ts"
import { decodeRows, findNote, Integer, Millis, type RowError } from "../database/rows.ts"
import { type Followed, findFollowed } from "../payouts/followed.ts"
import { type Move, settle } from "../payouts/writeState.ts"

/** When a payout was sent, or, if a person named its transaction, when it was submitted. */
const since = "COALESCE(intent_at, submitted_at)"

/** The maximum number of payouts that one step of the follower touches. */
const maxRows = 1_000

/** Ends the intents that expired, and whose senders wrote nothing: the payouts may have been sent. */
export const expire = Effect.fnUntraced(function* (database: Database, who: string): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  while (true) {
    const now = yield* database.now
    const rows = yield* sql<{
      readonly reference: string
      readonly attempt: unknown
    }>`SELECT reference, attempt FROM payouts
      WHERE ${sql.literal(Condition.doubtful)} AND state = 'sending' AND valid_until < ${now} LIMIT ${maxRows}`
    const moves = rows.map(({ attempt, reference }): Move => ({ reference, attempt: Number(attempt), step: "expired" }))
    yield* settle(database, who, moves)
    if (rows.length < maxRows) return
  }
})

/** What waits for the history now. */
export interface Waiting {
  /** The time of the database at which this was read, in milliseconds. */
  readonly began: number
  /** When the first of the waiting payouts was sent; `null` if none waits. */
  readonly oldest: number | null
  readonly count: number
}

/** `true` for a payout that {@link findWaiting} has counted, and that still waits. */
export const isWaiting = ({ dueAt, state }: Followed, { began }: Waiting): boolean =>
  (state === "unknown" || state === "accepted") && dueAt <= began

const decodeWaiting = decodeRows(
  Schema.Struct({ began: Millis, oldest: Schema.NullOr(Millis), count: Integer }).pipe(
    Schema.encodeKeys({ count: "payouts" })
  )
)

export const findWaiting = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<Waiting, RowError> {
  const { sql } = database
  const now = yield* database.now
  const [row] = yield* decodeWaiting(sql`
    SELECT min(${sql.literal(since)}) AS oldest, ${now} AS began, count(*) AS payouts FROM payouts
    WHERE ${sql.literal(Condition.waiting)} AND due_at <= ${now}`)
  return row!
})

/** The accepted payouts that a pass over the history should have ended or shown, and has not. */
export const findUnseen = (
  database: Database,
  began: number,
  limit: number
): Effect.Effect<ReadonlyArray<Followed>, RowError> => {
  const { sql } = database
  return findFollowed(
    database,
    sql`${sql.literal(Condition.waiting)} AND state = 'accepted' AND due_at <= ${began} ORDER BY due_at LIMIT ${limit}`
  )
}

/** The payouts that the history has not shown for so long that it will not show them any more. */
export const findOverdue = (
  database: Database,
  began: number,
  undecidedAfter: number,
  limit: number
): Effect.Effect<ReadonlyArray<Followed>, RowError> => {
  const { sql } = database
  return findFollowed(
    database,
    sql`${sql.literal(Condition.waiting)} AND state = 'unknown' AND due_at <= ${began}
      AND valid_until + ${undecidedAfter} < ${began} ORDER BY due_at LIMIT ${limit}`
  )
}

/** The longest time that a waiting payout is left alone, in milliseconds. */
const maxPause = 3_600_000

/** When to look at a waiting payout again: the older it is, the later. */
const nextLook = ({ sql }: Database, now: Fragment, pollInterval: number): Fragment =>
  sql`${now} + ${pollInterval} + CASE WHEN ${now} - ${sql.literal(since)} > 4 * ${maxPause} THEN ${maxPause}
    ELSE (${now} - ${sql.literal(since)}) / 4 END`

/** Postpones the next look at what a pass has not shown, except for overdue payouts, which the next pass searches for. */
export const reschedule = Effect.fnUntraced(function* (
  database: Database,
  began: number,
  { pollInterval, undecidedAfter }: { readonly pollInterval: number; readonly undecidedAfter: number }
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const now = yield* database.now
  yield* sql`UPDATE payouts SET due_at = ${nextLook(database, now, pollInterval)}, missed_at = ${began}
    WHERE ${sql.literal(Condition.waiting)} AND due_at <= ${began}
      AND NOT (state = 'unknown' AND valid_until + ${undecidedAfter} < ${began})`
})

/** Leaves payouts alone that a pass has shown: only those that it has not shown have to be read one by one. */
export const postpone = Effect.fnUntraced(function* (
  database: Database,
  began: number,
  shown: Iterable<string>,
  pollInterval: number
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  for (const references of Arr.chunksOf(shown, maxRows)) {
    const now = yield* database.now
    yield* sql`UPDATE payouts SET due_at = ${nextLook(database, now, pollInterval)}
      WHERE reference IN (SELECT reference FROM ${referencesOf(database, references)} AS d) AND ${sql.literal(Condition.waiting)} AND due_at <= ${began}`
  }
})

/**
 * Notes whether the history shows the notes of transactions. One transaction without its note outweighs any number with
 * it.
 */
export const noteEcho = ({ sql }: Database, echoes: boolean): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    echoes
      ? sql`UPDATE payout_meta SET value = 'shown' WHERE name = 'notes' AND value = 'unseen'`
      : sql`UPDATE payout_meta SET value = 'hidden' WHERE name = 'notes' AND value <> 'hidden'`
  )

/** Notes how late the history has shown a payout, in milliseconds. */
export const noteLag = ({ isPostgres, sql }: Database, lag: number): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`UPDATE payout_meta SET value = ${`${Math.round(lag)}`}
    WHERE name = 'lag' AND (value = '' OR CAST(value AS ${sql.literal(isPostgres ? "BIGINT" : "INTEGER")}) < ${Math.round(lag)})`)

/** How late the history has shown a payout at most, in milliseconds; `undefined` if no pass has looked. */
export const findLag = (database: Database): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(findNote(database, "lag"), (lag) => (lag === "" ? undefined : Number(lag)))

/** The time of the last event of a claimed payout, in milliseconds; `undefined` if nothing was ever claimed. */
export const lastEvent = ({ sql }: Database): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(
    sql<{ readonly at: unknown }>`SELECT at FROM payout_events WHERE attempt > 0 ORDER BY sequence DESC LIMIT 1`,
    ([row]) => (row === undefined ? undefined : Number(row.at))
  )

/** Lets other undecided payouts be looked for before some. */
export const putLast = Effect.fnUntraced(function* (
  database: Database,
  references: ReadonlyArray<string>
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const now = yield* database.now
  yield* sql`UPDATE payouts SET due_at = ${now} WHERE state = 'undecided' AND ${sql.in("reference", references)}`
})

/** Keeps how long workers look for a payout, in milliseconds, for those who ask until when. */
export const keepUndecidedAfter = ({ sql }: Database, undecidedAfter: number): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    sql`UPDATE payout_meta SET value = ${`${undecidedAfter}`} WHERE name = 'undecided' AND value <> ${`${undecidedAfter}`}`
  )
