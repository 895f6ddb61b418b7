/** Moves payouts: each move is a compare-and-swap on (reference, attempt, state), with its event in the same transaction. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Step, stepRule } from "../model/Transitions.ts"
import { atomically, type Database, rowsOf } from "./database.ts"

/** One step of a payout. */
export interface Move {
  readonly reference: string
  /** The attempt that the step is about. */
  readonly attempt: number
  readonly step: Step
  /** The transaction, if the step found it. */
  readonly transactionId?: string | undefined
  readonly detail?: string | undefined
  /** How long to leave the payout alone afterwards, in milliseconds. */
  readonly wait?: number | undefined
}

/** An event that changes no state: something that a person has to look at. */
export interface Note {
  readonly reference: string
  readonly attempt: number
  readonly step: "clash"
  readonly detail: string
}

interface Moved {
  readonly reference: string
}

const maxDetail = 300

const columns = {
  r: "text",
  n: "bigint",
  f: "text",
  s: "text",
  e: "text",
  i: "text",
  t: "text",
  w: "bigint"
} as const

const toRow = ({ attempt, detail, reference, step, transactionId, wait }: Move) => ({
  r: reference,
  n: attempt,
  f: `|${stepRule[step].from.join("|")}|`,
  s: stepRule[step].to,
  e: step,
  i: transactionId ?? null,
  t: detail?.slice(0, maxDetail) ?? null,
  w: Math.round(wait ?? 0)
})

/** The transaction and the reason of a step. */
const describe = ({ detail, transactionId }: Move): string | undefined =>
  [transactionId, detail?.slice(0, maxDetail)].filter((part) => part !== undefined).join(": ") || undefined

/** Writes events of payouts that are in the ledger. */
const record = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  events: ReadonlyArray<Pick<Move, "reference" | "attempt" | "detail"> & { readonly step: string }>
): Effect.fn.Return<void, SqlError> {
  if (events.length === 0) return
  const { sql } = database
  const now = yield* database.now
  const rows = rowsOf(
    database,
    events.map(({ attempt, detail, reference, step }) => ({ r: reference, n: attempt, e: step, t: detail ?? null })),
    { r: "text", n: "bigint", e: "text", t: "text" }
  )
  yield* sql`INSERT INTO payout_events (reference, attempt, at, who, step, state, detail)
    SELECT p.reference, d.n, ${now}, ${who}, d.e, p.state, d.t FROM ${rows} AS d JOIN payouts p ON p.reference = d.r`
})

/** Moves whose step applies, and writes their events. Returns the references that moved. */
const swap = Effect.fnUntraced(function* (
  database: Database,
  who: string,
  moves: ReadonlyArray<Move>
): Effect.fn.Return<ReadonlySet<string>, SqlError> {
  const { durable, isPostgres, sql } = database
  const now = yield* database.now
  const given = rowsOf(database, moves.map(toRow), columns)
  const update = sql`UPDATE payouts AS p SET state = d.s, transaction_id = COALESCE(p.transaction_id, d.i), detail = d.t,
      guard = CASE WHEN d.s IN ('unknown', 'undecided') THEN p.guard ELSE NULL END, due_at = ${now} + d.w
    FROM ${given} AS d
    WHERE p.reference = d.r AND p.attempt = d.n AND d.f LIKE '%|' || p.state || '|%' AND ${durable}
      AND NOT EXISTS (SELECT 1 FROM payouts o WHERE o.transaction_id = d.i AND o.reference <> d.r)`
  const rows = isPostgres
    ? yield* sql<Moved>`WITH moved AS (
        ${update} RETURNING p.reference, p.attempt, p.state, d.e AS step, COALESCE(d.i || ': ' || d.t, d.i, d.t) AS detail),
      logged AS (INSERT INTO payout_events (reference, attempt, at, who, step, state, detail)
        SELECT reference, attempt, ${now}, ${who}, step, state, detail FROM moved)
      SELECT reference FROM moved`
    : // SQLite knows no alias of the updated table here.
      yield* sql<Moved>`${update} RETURNING reference`
  const moved = new Set(rows.map(({ reference }) => reference))
  if (!isPostgres) {
    const events = moves
      .filter(({ reference }) => moved.has(reference))
      .map((move) => ({ ...move, detail: describe(move) }))
    yield* record(database, who, events)
  }
  return moved
})

interface Evidence {
  readonly reference: string
  readonly attempt: unknown
  readonly state: string
  readonly transaction_id: string | null
}

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
  const references = late.map(({ reference }) => reference)
  const found = yield* sql<Evidence>`SELECT reference, attempt, state, transaction_id FROM payouts
    WHERE ${sql.in("reference", references)}`
  const known = new Map(found.map((row) => [row.reference, row]))
  const clashing = late.filter(({ reference, transactionId }) => {
    const row = known.get(reference)
    return row !== undefined && row.transaction_id !== transactionId
  })
  const repeated = yield* sql<{ readonly reference: string; readonly detail: string }>`SELECT reference, detail
    FROM payout_events WHERE step = 'clash' AND ${sql.in("reference", references)}`
  const isNew = ({ reference, transactionId }: Move) =>
    !repeated.some((event) => event.reference === reference && event.detail === transactionId)
  yield* record(
    database,
    who,
    clashing.filter(isNew).map((move) => ({ ...move, step: "clash", detail: move.transactionId }))
  )
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

/** Moves payouts. Returns the references that moved; the others had moved on. */
export const settle: (
  database: Database,
  who: string,
  moves: ReadonlyArray<Move>
) => Effect.Effect<ReadonlySet<string>, SqlError> = Effect.fnUntraced(function* (database, who, moves) {
  if (moves.length === 0) return new Set()
  const [first, others] = separate(moves)
  const moved = yield* Effect.gen(function* () {
    const swapped = yield* swap(database, who, first)
    const late = first.filter(({ reference, transactionId }) => transactionId !== undefined && !swapped.has(reference))
    yield* settleEvidence(database, who, late)
    return swapped
  }).pipe(atomically(database))
  return others.length === 0 ? moved : new Set([...moved, ...(yield* settle(database, who, others))])
})
