/** Reads the ledger. */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  alarmed,
  type Database,
  decodeRows,
  doubtful,
  everyEvent,
  everyPayout,
  Flag,
  Integer,
  ofState,
  type RowError,
  stopped,
  Time,
  waiting
} from "./database.ts"
import { type Confirmation, findAwaited } from "./firstPayout.ts"
import { findReading, type Reading } from "./history.ts"
import { Alarm, Payout, PayoutEvent, PayoutState } from "./Payout.ts"

/** A payout as the table has it, and until when it is looked for. */
const PayoutRow = Schema.Struct({
  ...Payout.fields,
  attempt: Integer,
  submittedAt: Time,
  intentAt: Schema.NullOr(Time),
  lookedForUntil: Schema.NullOr(Time)
}).pipe(
  Schema.encodeKeys({
    clientId: "client_id",
    assetId: "asset_id",
    networkId: "network_id",
    to: "destination",
    transactionId: "transaction_id",
    submittedBy: "submitted_by",
    submittedAt: "submitted_at",
    intentAt: "intent_at",
    lookedForUntil: "looked_for_until"
  })
)

const selected = `*, CASE WHEN state IN ('sending', 'unknown') THEN CAST(valid_until + (
  SELECT CAST(NULLIF(value, '') AS NUMERIC) FROM payout_meta WHERE name = 'undecided') AS BIGINT) END AS looked_for_until`

const decodePayouts = decodeRows(PayoutRow)

/** The payouts for which a condition holds, which may end with an order and a limit. */
export const findPayouts = (
  { sql }: Database,
  condition: Fragment,
  from = everyPayout
): Effect.Effect<ReadonlyArray<Payout>, RowError> =>
  decodePayouts(sql`SELECT ${sql.literal(selected)} FROM ${sql.literal(from)} AS payouts WHERE ${condition}`)

const decodeEvents = decodeRows(
  Schema.Struct({ ...PayoutEvent.fields, attempt: Integer, at: Time }).pipe(
    Schema.encodeKeys({ cursor: "position", by: "who" })
  )
)

export const get = (database: Database, reference: string): Effect.Effect<Option.Option<Payout>, RowError> =>
  Effect.map(findPayouts(database, database.sql`reference = ${reference}`), Arr.head)

/** Archived payouts are shown in their batches. Whoever asks for the whole ledger gets the working table. */
const workingUnless = (batch: string | undefined): string => (batch === undefined ? "payouts" : everyPayout)

/** A part of the ledger, after a reference. */
export interface ListFilter {
  readonly batch?: string | undefined
  readonly state?: PayoutState | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

export const list = (
  database: Database,
  { after = "", batch, limit = 1_000, state }: ListFilter = {}
): Effect.Effect<ReadonlyArray<Payout>, RowError> => {
  const { sql } = database
  return findPayouts(
    database,
    sql`reference > ${after} ${batch === undefined ? sql`` : sql`AND batch = ${batch}`}
      ${state === undefined ? sql`` : sql`AND state = ${state} AND ${sql.literal(ofState(state))}`}
      ORDER BY reference LIMIT ${limit}`,
    workingUnless(batch)
  )
}

/**
 * How far a batch or the whole ledger is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  /** The number of payouts in each state; a state without payouts is absent. */
  readonly states: { readonly [S in PayoutState]?: number }
  /**
   * Some payouts that wait for another one: only their notes tell the two apart, the other one may have been sent, and the
   * service's history has not shown a note yet.
   */
  readonly waiting: ReadonlyArray<{ readonly reference: string; readonly waitsFor: string }>
  /** Some payouts that a person has to look at before anything more is sent. */
  readonly alarms: ReadonlyArray<{ readonly reference: string; readonly alarm: Alarm; readonly detail: string }>
  /** The first payouts that the others of their asset wait for: `Payouts.confirm`. */
  readonly confirmations: ReadonlyArray<Confirmation>
  /** When a worker noticed that the database is another one, until it is compared with the history. */
  readonly changedAt: DateTime.Utc | null
  /** How far the ledger has read the history before its first payout; `null` before it has begun. */
  readonly reading: Reading | null
}

const decodeCounts = decodeRows(Schema.Struct({ batch: Schema.String, state: PayoutState, payouts: Integer }))

const countStates = (rows: Effect.Success<ReturnType<typeof decodeCounts>>): Progress["states"] =>
  Object.fromEntries(rows.map(({ payouts, state }) => [state, payouts]))

const findStates = ({ sql }: Database, batch?: string): Effect.Effect<Progress["states"], RowError> =>
  Effect.map(
    decodeCounts(sql`SELECT '' AS batch, state, count(*) AS payouts
      FROM ${sql.literal(workingUnless(batch))} AS counted
      ${batch === undefined ? sql`` : sql`WHERE batch = ${batch}`} GROUP BY state`),
    countStates
  )

const decodeAlarms = decodeRows(Schema.Struct({ reference: Schema.String, alarm: Alarm, detail: Schema.String }))

/** The payouts that a person has to look at before anything more is sent. */
export const findAlarms = ({ sql }: Database): Effect.Effect<Progress["alarms"], RowError> =>
  decodeAlarms(sql`SELECT reference, alarm, COALESCE(alarm_detail, '') AS detail
    FROM ${sql.literal(everyPayout)} AS payouts WHERE ${sql.literal(alarmed)} ORDER BY reference LIMIT 100`)

const decodeTimes = decodeRows(Schema.Struct({ time: Schema.NullOr(Time) }))

/** The one time that a statement selects. */
const findTime = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
  Effect.map(decodeTimes(statement), ([row]) => row?.time ?? null)

export const progress = Effect.fnUntraced(function* (
  database: Database,
  batch?: string
): Effect.fn.Return<Progress, RowError> {
  const { sql } = database
  const waiting = yield* sql<{ readonly reference: string; readonly other: string }>`
    SELECT p.reference, o.reference AS other FROM payouts o JOIN payouts p ON p.twin = o.guard
    WHERE o.guard IS NOT NULL AND p.state = 'ready' ${batch === undefined ? sql`` : sql`AND p.batch = ${batch}`}
    ORDER BY p.reference LIMIT 100`
  return {
    states: yield* findStates(database, batch),
    waiting: waiting.map(({ other, reference }) => ({ reference, waitsFor: other })),
    alarms: yield* findAlarms(database),
    confirmations: yield* findAwaited(database),
    changedAt: yield* findTime(sql`SELECT until AS time FROM payout_meta
      WHERE name = 'identity' AND value LIKE 'changed %'`),
    reading: yield* findReading(database)
  }
})

/**
 * A batch, and the number of its payouts in each state; a state without payouts is absent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Batch {
  readonly batch: string
  readonly states: Progress["states"]
}

const maxBatches = 100

/** The batches that were submitted last, newest first. */
export const batches = Effect.fnUntraced(function* ({
  sql
}: Database): Effect.fn.Return<ReadonlyArray<Batch>, RowError> {
  const rows = yield* decodeCounts(sql`SELECT p.batch, p.state, count(*) AS payouts FROM payouts p JOIN (
      SELECT batch, max(submitted_at) AS newest FROM payouts GROUP BY batch ORDER BY newest DESC, batch LIMIT ${maxBatches}
    ) newest ON newest.batch = p.batch GROUP BY p.batch, p.state, newest.newest ORDER BY newest.newest DESC, p.batch`)
  return Array.from(
    Map.groupBy(rows, ({ batch }) => batch),
    ([batch, states]) => ({ batch, states: countStates(states) })
  )
})

const columns = "sequence, reference, attempt, at, who, step, state, detail"

/** The epoch of an event, in no join: PostgreSQL would join all events before it took a page of them. */
const epoch = "(SELECT max(o.epoch) FROM payout_epochs o WHERE o.after < sequence)"

/** The place of an event in {@link changes}. PostgreSQL's count of transactions orders the events of the last epoch only. */
const position = (isPostgres: boolean): string =>
  `${epoch} || ':' || ${isPostgres ? `CASE WHEN ${epoch} = (SELECT max(epoch) FROM payout_epochs) THEN xact::text ELSE '0' END` : "0"} || ':' || sequence`

const selectEvents = (database: Database, condition: Fragment): Effect.Effect<ReadonlyArray<PayoutEvent>, RowError> => {
  const { isPostgres, sql } = database
  return decodeEvents(sql`SELECT ${sql.literal(position(isPostgres))} AS position, ${sql.literal(columns)}
    FROM ${everyEvent(database)} AS payout_events WHERE ${condition}`)
}

/** The steps of one payout, in their order. */
export const events = (database: Database, reference: string): Effect.Effect<ReadonlyArray<PayoutEvent>, RowError> =>
  selectEvents(database, database.sql`reference = ${reference} ORDER BY sequence`)

const maxChanges = 1_000

interface Cursor {
  readonly epoch: number
  readonly xact: string
  readonly sequence: string
}

const parseCursor = (cursor: string | undefined): Cursor => {
  const [epoch, xact, sequence] = /^(\d{1,15}):(\d{1,20}):(\d{1,19})$/.exec(cursor ?? "")?.slice(1) ?? []
  return { epoch: Number(epoch ?? 0), xact: xact ?? "0", sequence: sequence ?? "0" }
}

const decodeEpochs = decodeRows(
  Schema.Struct({ epoch: Integer, after: Integer, isSettled: Flag }).pipe(
    Schema.encodeKeys({ isSettled: "is_settled" })
  )
)

/** The steps of the last epoch: PostgreSQL shows one when no transaction that began before its own is open any more. */
const newChanges = (
  database: Database,
  after: number,
  { sequence, xact }: Cursor
): Effect.Effect<ReadonlyArray<PayoutEvent>, RowError> => {
  const { isPostgres, sql } = database
  return selectEvents(
    database,
    isPostgres
      ? sql`sequence > ${after} AND xact < pg_snapshot_xmin(pg_current_snapshot())
          AND (xact, sequence) > (${xact}::text::xid8, ${sequence}::text::bigint)
        ORDER BY xact, sequence LIMIT ${maxChanges}`
      : sql`sequence > ${Math.max(after, Number(sequence))} ORDER BY sequence LIMIT ${maxChanges}`
  )
}

/**
 * The steps of an epoch that has ended, by their numbers. A cursor that was given before the end lacks those of a lower
 * number whose transactions ended later: it goes back to the first of them, so that some steps may come again.
 */
const oldChanges = (
  database: Database,
  [after, end]: readonly [number, number],
  { sequence, xact }: Cursor
): Effect.Effect<ReadonlyArray<PayoutEvent>, RowError> => {
  const { isPostgres, sql } = database
  const missed =
    isPostgres && xact !== "0"
      ? sql`LEAST(${sequence}::text::bigint, (SELECT min(sequence) - 1 FROM ${everyEvent(database)} AS e
          WHERE sequence > ${after} AND sequence <= ${end} AND xact > ${xact}::text::xid8))`
      : sql`${Number(sequence)}`
  return selectEvents(
    database,
    sql`sequence > ${after} AND sequence <= ${end} AND sequence > ${missed} ORDER BY sequence LIMIT ${maxChanges}`
  )
}

/**
 * The steps after a cursor, each once, in an order in which nothing is added later. PostgreSQL's numbers alone are no such
 * order, because a transaction may commit after a later number was read; its count of transactions is one, until another
 * server counts. So a change of the database begins an epoch.
 */
export const changes = Effect.fnUntraced(function* (
  database: Database,
  cursor: string | undefined
): Effect.fn.Return<ReadonlyArray<PayoutEvent>, RowError> {
  const { isPostgres, sql } = database
  const settled = isPostgres ? "CASE WHEN fence <= pg_snapshot_xmin(pg_current_snapshot()) THEN 1 ELSE 0 END" : "1"
  const given = parseCursor(cursor)
  const epochs = yield* decodeEpochs(sql`SELECT epoch, after, ${sql.literal(settled)} AS is_settled FROM payout_epochs
    WHERE epoch >= ${given.epoch} ORDER BY epoch`)
  for (const [at, { after, epoch }] of epochs.entries()) {
    const from = epoch === given.epoch ? given : { epoch, xact: "0", sequence: "0" }
    const next = epochs[at + 1]
    if (next === undefined) return yield* newChanges(database, after, from)
    // A transaction that was open when the epoch ended may still add a step to it.
    if (at + 2 === epochs.length && !next.isSettled) return []
    const found = yield* oldChanges(database, [after, next.after], from)
    if (found.length > 0) return found
  }
  return []
})

/** The number of payouts in each state that is not the end, and the age of the oldest doubtful one. */
export interface OpenCounts {
  readonly states: Progress["states"]
  /** When the oldest payout that may have been sent was sent, in milliseconds. */
  readonly oldestUnknownAt: number | undefined
}

/**
 * Reads no payout that has ended: each condition has an index. To count `due_at` keeps SQLite from the index of batches,
 * which has all payouts.
 */
export const countOpen = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<OpenCounts, RowError> {
  const { sql } = database
  const oldest = yield* findTime(sql`SELECT min(intent_at) AS time FROM payouts
    WHERE ${sql.literal(doubtful)} AND state <> 'sending'`)
  const conditions = [
    "state = 'ready'",
    doubtful,
    `${waiting} AND state = 'accepted'`,
    `${stopped} AND state IN ('held', 'mismatched')`
  ]
  const counts = yield* decodeCounts(
    sql.unsafe(
      conditions
        .map((one) => `SELECT '' AS batch, state, count(due_at) AS payouts FROM payouts WHERE ${one} GROUP BY state`)
        .join(" UNION ALL ")
    )
  )
  const oldestUnknownAt = oldest === null ? undefined : DateTime.toEpochMillis(oldest)
  return { states: countStates(counts), oldestUnknownAt }
})
