/** Payouts as the history concerns them: what a worker and a person's decision look for. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Condition from "../database/conditions.ts"
import { type Database, rowsOf } from "../database/database.ts"
import type { PayoutState } from "./Payout.ts"

/** A payout whose intent this process has committed. */
export interface Claimed {
  readonly reference: string
  readonly attempt: number
  readonly clientId: string
  readonly assetId: string
  readonly networkId: string | null
  readonly to: string
  readonly amount: string
  readonly note: string
  /** `true` if it is the first payout of its asset with the contract. */
  readonly isFirst?: boolean
}

/** A payout as the follower sees it. */
export interface Followed extends Claimed {
  readonly state: PayoutState
  readonly transactionId: string | null
  readonly detail: string | null
  readonly intentAt: number
  readonly dueAt: number
  /** When the last pass over the history began that has not shown it, in milliseconds. */
  readonly missedAt: number | undefined
  /** `true` if a person has named the transaction, and takes it as it is. */
  readonly isUnchecked: boolean
}

export interface Row {
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
  readonly detail: string | null
  readonly intent_at: unknown
  readonly due_at: unknown
  readonly missed_at: unknown
  readonly unchecked: unknown
}

export const toFollowed = (row: Row): Followed => ({
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
  detail: row.detail,
  intentAt: Number(row.intent_at),
  dueAt: Number(row.due_at),
  missedAt: row.missed_at === null ? undefined : Number(row.missed_at),
  isUnchecked: Number(row.unchecked) === 1
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

/** The payout of a reference. */
export const findByReference = (
  { sql }: Database,
  reference: string
): Effect.Effect<ReadonlyArray<Followed>, SqlError> =>
  Effect.map(sql<Row>`SELECT * FROM payouts WHERE reference = ${reference}`, (rows) => rows.map(toFollowed))

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

/** The undecided payouts that were sent, whose last look was before all others'. */
export const findUndecided = ({ sql }: Database, limit: number): Effect.Effect<ReadonlyArray<Followed>, SqlError> =>
  Effect.map(
    sql<Row>`SELECT * FROM payouts WHERE ${sql.literal(Condition.stopped)} AND state = 'undecided' AND attempt > 0
      ORDER BY due_at LIMIT ${limit}`,
    (rows) => rows.map(toFollowed)
  )

/** The undecided payouts of a reference or a batch that were sent, after a reference. */
export const findSentUndecided = (
  { sql }: Database,
  target: string | { readonly batch: string },
  after: string,
  limit: number
): Effect.Effect<ReadonlyArray<Followed>, SqlError> =>
  Effect.map(
    sql<Row>`SELECT * FROM payouts WHERE state = 'undecided' AND attempt > 0 AND reference > ${after}
      AND ${typeof target === "string" ? sql`reference = ${target}` : sql`batch = ${target.batch}`}
      ORDER BY reference LIMIT ${limit}`,
    (rows) => rows.map(toFollowed)
  )

/** The mismatched payouts of a reference or a batch: a few. */
export const findMismatched = (
  { sql }: Database,
  target: string | { readonly batch: string }
): Effect.Effect<ReadonlyArray<Followed>, SqlError> =>
  Effect.map(
    sql<Row>`SELECT * FROM payouts WHERE ${sql.literal(Condition.stopped)} AND state = 'mismatched'
      AND ${typeof target === "string" ? sql`reference = ${target}` : sql`batch = ${target.batch}`} LIMIT 10`,
    (rows) => rows.map(toFollowed)
  )

/** When the first attempts of payouts were claimed, in milliseconds. */
export const findFirstClaims = (
  database: Database,
  references: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, number>, SqlError> => {
  const rows = rowsOf(
    database,
    references.map((reference) => ({ reference })),
    { reference: "text" }
  )
  return Effect.map(
    database.sql<{ readonly reference: string; readonly at: unknown }>`SELECT d.reference, min(e.at) AS at
      FROM ${rows} AS d JOIN payout_events e ON e.reference = d.reference AND e.attempt = 1 GROUP BY d.reference`,
    (found) => new Map(found.map(({ at, reference }) => [reference, Number(at)]))
  )
}
