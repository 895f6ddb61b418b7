/** The statements of the follower: what waits for the history, and what the history has shown. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { PayoutState } from "../model/Payout.ts"
import type { Claimed } from "./claim.ts"
import * as Condition from "./conditions.ts"
import { type Database, durably, rowsOf } from "./database.ts"
import { type Move, settle } from "./settle.ts"

/** A payout as the follower sees it. */
export interface Followed extends Claimed {
  readonly state: PayoutState
  readonly transactionId: string | null
  readonly intentAt: number
  readonly dueAt: number
}

interface Row {
  readonly reference: string
  readonly attempt: unknown
  readonly client_id: string
  readonly asset_id: string
  readonly network_id: string | null
  readonly destination: string
  readonly amount: string
  readonly note: string
  readonly state: PayoutState
  readonly transaction_id: string | null
  readonly intent_at: unknown
  readonly due_at: unknown
}

const toFollowed = (row: Row): Followed => ({
  reference: row.reference,
  attempt: Number(row.attempt),
  clientId: row.client_id,
  assetId: row.asset_id,
  networkId: row.network_id,
  to: row.destination,
  amount: row.amount,
  note: row.note,
  state: row.state,
  transactionId: row.transaction_id,
  intentAt: Number(row.intent_at),
  dueAt: Number(row.due_at)
})

/** When a payout was sent, or, if a person named its transaction, when it was submitted. */
const since = "COALESCE(intent_at, submitted_at)"

/** The maximum number of payouts that one step of the follower touches. */
const maxRows = 1_000

/** How long a follower may be silent before another worker takes its place, in milliseconds. */
const lease = 5_000

/**
 * Takes or renews the place of the only follower, who waits for `pause` milliseconds between two pages. Two at once would
 * only read twice.
 */
export const holdLease = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  pause: number
): Effect.fn.Return<boolean, SqlError> {
  const { sql } = database
  const now = yield* database.now
  const held = yield* sql`UPDATE payout_meta SET value = ${who}, until = ${now} + ${lease + Math.round(pause)}
    WHERE name = 'follower' AND (value = ${who} OR until < ${now}) RETURNING name`
  return held.length > 0
})

/** Ends the intents that expired, and whose senders wrote nothing: the payouts may have been sent. */
export const expire = Effect.fnUntraced(function* (database: Database, who: string): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  while (true) {
    const now = yield* database.now
    const rows = yield* sql<Pick<Row, "reference" | "attempt">>`SELECT reference, attempt FROM payouts
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
  /** When the first of the waiting payouts was sent; `undefined` if none waits. */
  readonly oldest: number | undefined
  readonly count: number
}

/** `true` for a payout that {@link findWaiting} has counted, and that still waits. */
export const isWaiting = ({ dueAt, state }: Followed, { began }: Waiting): boolean =>
  (state === "unknown" || state === "accepted") && dueAt <= began

export const findWaiting = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<Waiting, SqlError> {
  const { sql } = database
  const now = yield* database.now
  const [row] = yield* sql<{ readonly oldest: unknown; readonly began: unknown; readonly n: unknown }>`
    SELECT min(${sql.literal(since)}) AS oldest, ${now} AS began, count(*) AS n FROM payouts
    WHERE ${sql.literal(Condition.waiting)} AND due_at <= ${now}`
  const oldest = row?.oldest ?? undefined
  return { began: Number(row?.began), oldest: oldest === undefined ? undefined : Number(oldest), count: Number(row?.n) }
})

/** The payouts to which rows of the history may belong. */
export const findByHistory = (
  { sql }: Database,
  notes: ReadonlyArray<string>,
  transactionIds: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Followed>, SqlError> =>
  Effect.map(
    sql<Row>`SELECT * FROM payouts
      WHERE ${sql.in("transaction_id", transactionIds)} ${notes.length === 0 ? sql`` : sql`OR ${sql.in("note", notes)}`}`,
    (rows) => rows.map(toFollowed)
  )

/** The references of the payouts to which some transactions belong. */
export const findOwners = (
  database: Database,
  transactionIds: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, string>, SqlError> => {
  const rows = rowsOf(
    database,
    transactionIds.map((id) => ({ i: id })),
    { i: "text" }
  )
  return Effect.map(
    database.sql<{ readonly i: string; readonly reference: string }>`SELECT d.i, p.reference FROM ${rows} AS d
      JOIN payouts p ON p.transaction_id = d.i`,
    (found) => new Map(found.map(({ i, reference }) => [i, reference]))
  )
}

/** The accepted payouts that a pass over the history should have ended or shown, and has not. */
export const findUnseen = (
  { sql }: Database,
  began: number,
  limit: number
): Effect.Effect<ReadonlyArray<Followed>, SqlError> =>
  Effect.map(
    sql<Row>`SELECT * FROM payouts WHERE ${sql.literal(Condition.waiting)} AND state = 'accepted' AND due_at <= ${began}
      ORDER BY due_at LIMIT ${limit}`,
    (rows) => rows.map(toFollowed)
  )

/** The payouts that the history has not shown for so long that it will not show them any more. */
export const findOverdue = (
  { sql }: Database,
  began: number,
  undecidedAfter: number,
  limit: number
): Effect.Effect<ReadonlyArray<Followed>, SqlError> =>
  Effect.map(
    sql<Row>`SELECT * FROM payouts WHERE ${sql.literal(Condition.waiting)} AND state = 'unknown' AND due_at <= ${began}
      AND valid_until + ${undecidedAfter} < ${began} ORDER BY due_at LIMIT ${limit}`,
    (rows) => rows.map(toFollowed)
  )

/** The longest time that a waiting payout is left alone, in milliseconds. */
const maxPause = 3_600_000

/** When to look at a waiting payout again: the older it is, the later. */
const nextLook = ({ sql }: Database, now: Fragment, pollInterval: number): Fragment =>
  sql`${now} + ${pollInterval} + CASE WHEN ${now} - ${sql.literal(since)} > 4 * ${maxPause} THEN ${maxPause}
    ELSE (${now} - ${sql.literal(since)}) / 4 END`

/** Postpones the next look at what still waits, except for overdue payouts, which the next pass searches for. */
export const reschedule = Effect.fnUntraced(function* (
  database: Database,
  began: number,
  { pollInterval, undecidedAfter }: { readonly pollInterval: number; readonly undecidedAfter: number }
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const now = yield* database.now
  yield* sql`UPDATE payouts SET due_at = ${nextLook(database, now, pollInterval)}
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
    const rows = rowsOf(
      database,
      references.map((reference) => ({ r: reference })),
      { r: "text" }
    )
    yield* sql`UPDATE payouts SET due_at = ${nextLook(database, now, pollInterval)}
      WHERE reference IN (SELECT r FROM ${rows} AS d) AND ${sql.literal(Condition.waiting)} AND due_at <= ${began}`
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

/** A row of the history that this ledger did not send. */
export interface Foreign {
  readonly note: string
  readonly transactionId: string
}

/**
 * Writes down rows of the history that this ledger did not send, by their notes. A payout with such a note must not be
 * sent: see `LedgerBehind`.
 */
export const noteForeign = Effect.fnUntraced(
  function* (database: Database, foreign: ReadonlyArray<Foreign>): Effect.fn.Return<void, SqlError> {
    const { sql } = database
    const rows = rowsOf(
      database,
      foreign.map(({ note, transactionId }) => ({ n: note, i: transactionId })),
      { n: "text", i: "text" }
    )
    yield* sql`INSERT INTO payout_foreign (note, transaction_id)
      SELECT d.n, d.i FROM ${rows} AS d LEFT JOIN payouts p ON p.note = d.n WHERE p.reference IS NULL OR p.attempt = 0
      ON CONFLICT DO NOTHING`
    yield* sql`UPDATE payouts SET behind = (SELECT f.transaction_id FROM payout_foreign f WHERE f.note = payouts.note)
      WHERE ${sql.in(
        "note",
        foreign.map(({ note }) => note)
      )} AND attempt = 0 AND behind IS NULL`
  },
  (work, database) => durably(database)(work)
)

export interface Behind {
  readonly reference: string
  readonly transactionId: string
}

/** Payouts that the history shows as paid, although this ledger has not sent them. */
export const findBehind = ({ sql }: Database): Effect.Effect<ReadonlyArray<Behind>, SqlError> =>
  Effect.map(
    sql<{ readonly reference: string; readonly behind: string }>`SELECT reference, behind FROM payouts
      WHERE ${sql.literal(Condition.behind)} ORDER BY reference LIMIT 100`,
    (rows) => rows.map(({ behind, reference }) => ({ reference, transactionId: behind }))
  )

/** The time of the last event of the ledger, in milliseconds: it knows nothing of what happened later. */
export const lastEvent = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<number, SqlError> {
  const { sql } = database
  const now = yield* database.now
  const [row] = yield* sql<{ readonly at: unknown }>`SELECT COALESCE(
    (SELECT at FROM payout_events WHERE attempt > 0 ORDER BY sequence DESC LIMIT 1), ${now}) AS at`
  return Number(row?.at)
})
