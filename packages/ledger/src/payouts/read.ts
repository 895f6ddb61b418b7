/** Reads the ledger. */
import * as Amount from "@effect-custody/core/Amount"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import type { Alarm, Payout, PayoutEvent, PayoutState } from "./Payout.ts"
import * as Condition from "../database/conditions.ts"
import type { Database } from "../database/database.ts"
import { type Confirmation, findAwaited } from "./gates.ts"
import { findReading, type Reading } from "../history/reading.ts"

/** PostgreSQL's driver returns a `BIGINT` as a `bigint` or a text, SQLite's as a number. */
type Integer = number | bigint | string

export interface PayoutRow {
  readonly reference: string
  readonly batch: string
  readonly client_id: string
  readonly asset_id: string
  readonly network_id: string | null
  readonly destination: string
  readonly amount: string
  readonly note: string
  readonly state: PayoutState
  readonly attempt: Integer
  readonly transaction_id: string | null
  readonly detail: string | null
  readonly submitted_by: string
  readonly submitted_at: Integer
  readonly intent_at: Integer | null
  readonly valid_until: Integer | null
  readonly alarm: Alarm | null
  /** How long a payout is looked for, in milliseconds. */
  readonly undecided_after?: string
}

interface EventRow {
  readonly position: string
  readonly reference: string
  readonly attempt: Integer
  readonly at: Integer
  readonly who: string
  readonly step: string
  readonly state: PayoutState
  readonly detail: string | null
}

const time = (millis: Integer): DateTime.Utc => DateTime.makeUnsafe(Number(millis))

/** Until when a payout is looked for, while it may have been sent. */
const lookedForUntil = ({ state, undecided_after: after = "", valid_until }: PayoutRow): DateTime.Utc | null =>
  valid_until === null || after === "" || (state !== "sending" && state !== "unknown")
    ? null
    : time(Number(valid_until) + Number(after))

export const toPayout = (row: PayoutRow): Payout => ({
  reference: row.reference,
  batch: row.batch,
  clientId: row.client_id,
  assetId: row.asset_id,
  networkId: row.network_id,
  to: row.destination,
  amount: Amount.fromStringUnsafe(row.amount),
  note: row.note,
  state: row.state,
  attempt: Number(row.attempt),
  transactionId: row.transaction_id,
  detail: row.detail,
  submittedBy: row.submitted_by,
  submittedAt: time(row.submitted_at),
  intentAt: row.intent_at === null ? null : time(row.intent_at),
  lookedForUntil: lookedForUntil(row),
  alarm: row.alarm
})

const toEvent = (row: EventRow): PayoutEvent => ({
  cursor: row.position,
  reference: row.reference,
  attempt: Number(row.attempt),
  at: time(row.at),
  by: row.who,
  step: row.step,
  state: row.state,
  detail: row.detail
})

const selected = "payouts.*, (SELECT value FROM payout_meta WHERE name = 'undecided') AS undecided_after"

export const get = ({ sql }: Database, reference: string): Effect.Effect<Option.Option<Payout>, SqlError> =>
  Effect.map(sql<PayoutRow>`SELECT ${sql.literal(selected)} FROM payouts WHERE reference = ${reference}`, ([row]) =>
    row === undefined ? Option.none() : Option.some(toPayout(row))
  )

/** A part of the ledger, after a reference. */
export interface ListFilter {
  readonly batch?: string | undefined
  readonly state?: PayoutState | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

export const list = (
  { sql }: Database,
  { after = "", batch, limit = 1_000, state }: ListFilter = {}
): Effect.Effect<ReadonlyArray<Payout>, SqlError> =>
  Effect.map(
    sql<PayoutRow>`SELECT ${sql.literal(selected)} FROM payouts WHERE reference > ${after}
      ${batch === undefined ? sql`` : sql`AND batch = ${batch}`}
      ${state === undefined ? sql`` : sql`AND state = ${state} AND ${sql.literal(Condition.ofState(state))}`}
      ORDER BY reference LIMIT ${limit}`,
    (rows) => rows.map(toPayout)
  )

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

const countStates = ({ sql }: Database, batch?: string): Effect.Effect<Progress["states"], SqlError> =>
  Effect.map(
    sql<{ readonly state: PayoutState; readonly n: Integer }>`SELECT state, count(*) AS n
      FROM payouts ${batch === undefined ? sql`` : sql`WHERE batch = ${batch}`} GROUP BY state`,
    (rows) => Object.fromEntries(rows.map(({ n, state }) => [state, Number(n)]))
  )

/** The payouts that a person has to look at before anything more is sent. */
export const findAlarms = ({ sql }: Database): Effect.Effect<Progress["alarms"], SqlError> =>
  Effect.map(
    sql<{ readonly reference: string; readonly alarm: Alarm; readonly alarm_detail: string | null }>`
      SELECT reference, alarm, alarm_detail FROM payouts WHERE ${sql.literal(Condition.alarmed)}
      ORDER BY reference LIMIT 100`,
    (rows) => rows.map(({ alarm, alarm_detail, reference }) => ({ reference, alarm, detail: alarm_detail ?? "" }))
  )

const findChangedAt = ({ sql }: Database): Effect.Effect<DateTime.Utc | null, SqlError> =>
  Effect.map(
    sql<{ readonly until: Integer }>`SELECT until FROM payout_meta WHERE name = 'database' AND value LIKE 'changed %'`,
    ([row]) => (row === undefined ? null : time(row.until))
  )

export const progress = Effect.fnUntraced(function* (
  database: Database,
  batch?: string
): Effect.fn.Return<Progress, SqlError> {
  const { sql } = database
  const waiting = yield* sql<Progress["waiting"][number] & { readonly other: string }>`
    SELECT p.reference, o.reference AS other FROM payouts o JOIN payouts p ON p.twin = o.guard
    WHERE o.guard IS NOT NULL AND p.state = 'ready' ${batch === undefined ? sql`` : sql`AND p.batch = ${batch}`}
    ORDER BY p.reference LIMIT 100`
  return {
    states: yield* countStates(database, batch),
    waiting: waiting.map(({ other, reference }) => ({ reference, waitsFor: other })),
    alarms: yield* findAlarms(database),
    confirmations: yield* findAwaited(database),
    changedAt: yield* findChangedAt(database),
    reading: yield* findReading(database)
  }
})

/**
 * A batch, and the number of its payouts in each state; a state without payouts is absent.
 *
 * @since 0.2.0
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
}: Database): Effect.fn.Return<ReadonlyArray<Batch>, SqlError> {
  const rows = yield* sql<{ readonly batch: string; readonly state: PayoutState; readonly n: Integer }>`
    SELECT p.batch, p.state, count(*) AS n FROM payouts p JOIN (
      SELECT batch, max(submitted_at) AS newest FROM payouts GROUP BY batch ORDER BY newest DESC, batch LIMIT ${maxBatches}
    ) b ON b.batch = p.batch GROUP BY p.batch, p.state, b.newest ORDER BY b.newest DESC, p.batch`
  return Array.from(
    Map.groupBy(rows, ({ batch }) => batch),
    ([batch, states]) => ({
      batch,
      states: Object.fromEntries(states.map(({ n, state }) => [state, Number(n)]))
    })
  )
})

const columns = "reference, attempt, at, who, step, state, detail"

/** The steps of one payout, in their order. */
export const events = (
  { isPostgres, sql }: Database,
  reference: string
): Effect.Effect<ReadonlyArray<PayoutEvent>, SqlError> =>
  Effect.map(
    sql<EventRow>`SELECT ${sql.literal(isPostgres ? "xact || ':' || sequence" : "'0:' || sequence")} AS position,
      ${sql.literal(columns)} FROM payout_events WHERE reference = ${reference} ORDER BY payout_events.sequence`,
    (rows) => rows.map(toEvent)
  )

const maxChanges = 1_000

const parseCursor = (cursor: string | undefined): readonly [string, string] => {
  const [transaction, sequence] = /^(\d{1,20}):(\d{1,19})$/.exec(cursor ?? "")?.slice(1) ?? []
  return [transaction ?? "0", sequence ?? "0"]
}

/**
 * The steps after a cursor, each once, in an order in which nothing is added later. PostgreSQL's numbers alone are no such
 * order, because a transaction may commit after a later number was read: so a step shows when no transaction that began
 * before its own is open any more.
 */
export const changes = (
  { isPostgres, sql }: Database,
  cursor: string | undefined
): Effect.Effect<ReadonlyArray<PayoutEvent>, SqlError> => {
  const [transaction, sequence] = parseCursor(cursor)
  const rows = isPostgres
    ? sql<EventRow>`SELECT xact || ':' || sequence AS position, ${sql.literal(columns)} FROM payout_events
        WHERE xact < pg_snapshot_xmin(pg_current_snapshot())
          AND (xact, sequence) > (${transaction}::text::xid8, ${sequence}::text::bigint)
        ORDER BY xact, sequence LIMIT ${maxChanges}`
    : sql<EventRow>`SELECT '0:' || sequence AS position, ${sql.literal(columns)} FROM payout_events
        WHERE sequence > ${Number(sequence)} ORDER BY sequence LIMIT ${maxChanges}`
  return Effect.map(rows, (found) => found.map(toEvent))
}

/** The number of payouts in each state, and the age of the oldest doubtful one. */
export interface OpenCounts {
  readonly states: Progress["states"]
  /** When the oldest payout that may have been sent was sent, in milliseconds. */
  readonly oldestUnknownAt: number | undefined
}

export const countOpen = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<OpenCounts, SqlError> {
  const { sql } = database
  const [row] = yield* sql<{ readonly oldest: Integer | null }>`SELECT min(intent_at) AS oldest FROM payouts
    WHERE ${sql.literal(Condition.doubtful)} AND state <> 'sending'`
  const oldest = row?.oldest ?? null
  return { states: yield* countStates(database), oldestUnknownAt: oldest === null ? undefined : Number(oldest) }
})
