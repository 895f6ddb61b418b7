/** Moves payouts, except for a new order and a claim: each move is a compare-and-swap on (reference, attempt, state), with its event in the same transaction. */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Metric from "effect/Metric"
import * as Order from "effect/Order"
import type { SqlError } from "effect/sql/SqlError"
import { type Committed, type Database, everyEvent, everyPayout, lastMark, type Mark, rowsOf } from "./database.ts"
import type { Ledger } from "./ledger.ts"
import { report, stepCounter } from "./metrics.ts"
import { type Step, stepRule } from "./siblings/Transitions.ts"

/** One step of a payout. */
export interface Move {
  readonly reference: string
  /** The attempt that the step is about. */
  readonly attempt: number
  /** The claim of the attempt, if only its sender knows the step: a database that went back counts an attempt again. */
  readonly claim?: string | undefined
  readonly step: Step
  /** The transaction, if the step found it. */
  readonly transactionId?: string | undefined
  readonly detail?: string | undefined
  /** How long to leave the payout alone afterwards, in milliseconds. */
  readonly wait?: number | undefined
  /** `true` if a person has named the transaction, and takes it as it is. */
  readonly unchecked?: boolean | undefined
}

const maxDetail = 300

const columns = {
  name: "text",
  attempt: "bigint",
  claim: "text",
  step: "text",
  from_states: "text",
  state: "text",
  transaction_id: "text",
  detail: "text",
  wait: "bigint",
  unchecked: "bigint",
  is_sent: "bigint"
} as const

/** The steps that say of an attempt that the service may have acted. */
const sent: ReadonlySet<Step> = new Set<Step>(["accepted", "found", "lost", "mismatched"])

const toRow = ({ attempt, claim, detail, reference, step, transactionId, unchecked = false, wait = 0 }: Move) => ({
  name: reference,
  attempt,
  claim: claim ?? null,
  step,
  from_states: `|${stepRule[step].from.join("|")}|`,
  state: stepRule[step].to,
  transaction_id: transactionId ?? null,
  detail: detail?.slice(0, maxDetail) ?? null,
  wait: Math.round(wait),
  unchecked: Number(unchecked),
  is_sent: Number(sent.has(step))
})

/** The transaction and the reason of a step. */
const describe = ({ detail, transactionId }: Move): string | undefined =>
  [transactionId, detail?.slice(0, maxDetail)].filter((part) => part !== undefined).join(": ") || undefined

interface Moved {
  readonly reference: string
}

interface Written {
  readonly sequence: unknown
  readonly at: unknown
}

/** Without an `attempt`, the event is about the one that the payout is at. */
interface Event extends Pick<Move, "reference" | "detail"> {
  readonly attempt?: number
  readonly step: string
}

/** Writes events of payouts that are in the ledger. */
export const record = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  events: ReadonlyArray<Event>
): Effect.fn.Return<Mark | undefined, SqlError> {
  if (events.length === 0) return undefined
  const { sql } = database
  const now = yield* database.now
  const rows = rowsOf(
    database,
    events.map(({ attempt = null, detail = null, reference, step }) => ({ reference, attempt, step, detail })),
    { reference: "text", attempt: "bigint", step: "text", detail: "text" }
  )
  const written = yield* sql<Written>`INSERT INTO payout_events (reference, attempt, at, who, step, state, detail)
    SELECT p.reference, COALESCE(d.attempt, p.attempt), ${now}, ${who}, d.step, p.state, d.detail
    FROM ${rows} AS d JOIN ${sql.literal(everyPayout)} p ON p.reference = d.reference RETURNING sequence, at`
  return lastMark(written)
})

interface Swapped {
  readonly moved: ReadonlySet<string>
  /** The last event, once it is committed. */
  readonly mark: Mark | undefined
}

/**
 * Moves whose step applies, and writes their events. A step is about the attempt that the row is at; or, if the database
 * has forgotten the attempt, it says that the service may have acted.
 */
const swap = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  moves: ReadonlyArray<Move>
): Effect.fn.Return<Swapped, SqlError> {
  const { durable, isPostgres, sql } = database
  const now = yield* database.now
  const given = rowsOf(database, moves.map(toRow), columns)
  const update = sql`UPDATE payouts AS p SET state = d.state, attempt = d.attempt,
      transaction_id = CASE d.step WHEN 'decidedNotPaid' THEN NULL WHEN 'decidedPaid' THEN d.transaction_id
        ELSE COALESCE(p.transaction_id, d.transaction_id) END, detail = d.detail, due_at = ${now} + d.wait,
      intent_at = CASE WHEN p.attempt < d.attempt THEN ${now} ELSE p.intent_at END,
      valid_until = CASE WHEN p.attempt < d.attempt THEN ${now} ELSE p.valid_until END,
      guard = CASE WHEN d.state IN ('unknown', 'undecided') THEN p.guard ELSE NULL END,
      suspect = CASE WHEN d.step IN ('approved', 'suspected') THEN p.suspect ELSE NULL END,
      unchecked = CASE WHEN d.unchecked = 1 THEN 1 ELSE p.unchecked END,
      alarm = CASE WHEN d.state = 'mismatched' THEN 'mismatch' WHEN d.step IN ('reversed', 'revived') THEN 'reversed'
        WHEN p.alarm = 'clash' OR d.step = 'approved' THEN p.alarm ELSE NULL END,
      alarm_detail = CASE WHEN d.state = 'mismatched' OR d.step IN ('reversed', 'revived') THEN d.detail
        WHEN p.alarm = 'clash' OR d.step = 'approved' THEN p.alarm_detail ELSE NULL END
    FROM ${given} AS d
    WHERE p.reference = d.name AND ${durable} AND (d.step <> 'cancelled' OR p.alarm IS NULL OR p.alarm <> 'behind')
      AND (p.attempt = d.attempt AND d.from_states LIKE '%|' || p.state || '|%'
          AND (d.claim IS NULL OR d.claim = p.claim OR d.is_sent = 1)
        OR p.attempt < d.attempt AND d.is_sent = 1 AND p.transaction_id IS NULL)
      AND NOT EXISTS (SELECT 1 FROM ${sql.literal(everyPayout)} o
        WHERE o.transaction_id = d.transaction_id AND o.reference <> d.name)`
  if (isPostgres) {
    // One statement: each round trip to the server costs as much as a move.
    const rows = yield* sql<Moved & Written>`WITH moved AS (${update} RETURNING p.reference, p.attempt, p.state, d.step,
        COALESCE(d.transaction_id || ': ' || d.detail, d.transaction_id, d.detail) AS detail)
      INSERT INTO payout_events (reference, attempt, at, who, step, state, detail)
        SELECT reference, attempt, ${now}, ${who}, step, state, detail FROM moved RETURNING reference, sequence, at`
    return { moved: new Set(rows.map(({ reference }) => reference)), mark: lastMark(rows) }
  }
  const rows = yield* sql<Moved>`${update} RETURNING reference`
  const moved = new Set(rows.map(({ reference }) => reference))
  const events = moves
    .filter(({ reference }) => moved.has(reference))
    .map((move) => ({ ...move, detail: describe(move) }))
  return { moved, mark: yield* record(database, who, events) }
})

interface Evidence {
  readonly reference: string
  readonly transaction_id: string | null
}

/** Says that a person has to look at a payout: whoever submitted it may not wait for its end. */
export const needPerson = (reference: string, why: string): Effect.Effect<void> =>
  report("payouts.needs_person", `It is ${why}`).pipe(Effect.annotateLogs("custody.reference", reference))

/** Writes down clashes that are new, each with its event and its alarm. */
const noteClashes = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  clashing: ReadonlyArray<Move>
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const references = clashing.map(({ reference }) => reference)
  const repeated = yield* sql<{ readonly reference: string; readonly detail: string }>`SELECT reference, detail
    FROM ${everyEvent(database)} e WHERE step = 'clash' AND ${sql.in("reference", references)}`
  const added = clashing.filter(
    ({ reference, transactionId }) =>
      !repeated.some((event) => event.reference === reference && event.detail === transactionId)
  )
  if (added.length === 0) return
  const rows = rowsOf(
    database,
    added.map(({ reference, transactionId = null }) => ({ reference, detail: transactionId })),
    { reference: "text", detail: "text" }
  )
  // In this order, because a payout may be archived in between.
  for (const table of ["payouts", "archived_payouts"])
    yield* sql`UPDATE ${sql(table)} AS p SET alarm = 'clash', alarm_detail = d.detail FROM ${rows} AS d
      WHERE p.reference = d.reference`
  yield* record(
    database,
    who,
    added.map((move) => ({ ...move, step: "clash", detail: move.transactionId }))
  )
  for (const { reference } of added) yield* needPerson(reference, "paid again, or by the transaction of another payout")
})

/**
 * Looks at evidence that moved nothing. A transaction that the ledger does not know yet is never dropped: it is a second
 * payment of its payout, or it belongs to another payout.
 */
const settleEvidence = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  late: ReadonlyArray<Move>
): Effect.fn.Return<void, SqlError> {
  if (late.length === 0) return
  const { sql } = database
  const found = yield* sql<Evidence>`SELECT reference, transaction_id FROM ${sql.literal(everyPayout)} p
    WHERE ${sql.in(
      "reference",
      late.map(({ reference }) => reference)
    )}`
  const known = new Map(found.map((row) => [row.reference, row]))
  const clashing = late.filter(({ reference, transactionId }) => {
    const row = known.get(reference)
    return row !== undefined && row.transaction_id !== transactionId
  })
  if (clashing.length === 0) return
  yield* noteClashes(database, who, clashing)
  const doubts = clashing
    .filter(({ reference }) => known.get(reference)?.transaction_id === null)
    .map(({ attempt, reference, transactionId }): Move => ({
      reference,
      attempt,
      step: "doubted",
      detail: `the service named transaction ${transactionId}, which is another payout's`
    }))
  if (doubts.length > 0) yield* swap(database, who, doubts)
})

/** Two moves of one statement must not name the same payout or the same transaction. */
const separate = (moves: ReadonlyArray<Move>): readonly [ReadonlyArray<Move>, ReadonlyArray<Move>] => {
  const seen = new Set<string>()
  const now: Array<Move> = []
  const later: Array<Move> = []
  for (const move of moves) {
    const names = [`r${move.reference}`, ...(move.transactionId === undefined ? [] : [`t${move.transactionId}`])]
    if (names.some((name) => seen.has(name))) later.push(move)
    else {
      now.push(move)
      for (const name of names) seen.add(name)
    }
  }
  return [now, later]
}

/**
 * PostgreSQL looks the rows of a statement up one by one, and locks them in the order of its moves: two writers that have
 * one order do not deadlock.
 */
const lockOrder = Order.mapInput(Order.String, ({ reference }: Move) => reference)

/**
 * Moves payouts. Returns the references that moved; the others had moved on. A worker passes what it has seen committed.
 */
export const settle: (
  database: Database,
  who: string,
  moves: ReadonlyArray<Move>,
  committed?: Committed
) => Effect.Effect<ReadonlySet<string>, SqlError> = Effect.fnUntraced(function* (database, who, moves, committed) {
  if (moves.length === 0) return new Set()
  const [first, others] = separate(moves.toSorted(lockOrder))
  const { mark, moved } = yield* Effect.gen(function* () {
    const swapped = yield* swap(database, who, first)
    const isLate = ({ reference, transactionId }: Move) => transactionId !== undefined && !swapped.moved.has(reference)
    yield* settleEvidence(database, who, first.filter(isLate))
    return swapped
  }).pipe(database.isPostgres ? identity : database.sql.withTransaction)
  committed?.add(mark)
  for (const { reference, step } of first) {
    const { to } = stepRule[step]
    if (!moved.has(reference)) continue
    if (to === "undecided" || to === "mismatched") yield* needPerson(reference, to)
    if (step === "reversed" || step === "revived")
      yield* needPerson(reference, `${to} now, and had ended in another way`)
  }
  return others.length === 0 ? moved : new Set([...moved, ...(yield* settle(database, who, others, committed))])
})

/** Takes steps as this worker, and counts them. */
export const takeSteps = Effect.fnUntraced(function* (
  { committed, database, settings }: Ledger,
  moves: ReadonlyArray<Move>
): Effect.fn.Return<void, SqlError> {
  const moved = yield* settle(database, settings.worker, moves, committed)
  const taken = Map.groupBy(
    moves.filter(({ reference }) => moved.has(reference)),
    ({ step }) => step
  )
  yield* Effect.forEach(taken, ([step, all]) => Metric.update(stepCounter(step), all.length), { discard: true })
})
