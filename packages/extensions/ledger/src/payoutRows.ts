/** Payouts as the history concerns them: what a worker and a person's decision look for. */
import { Positive } from "@effect-custody/core/Amount"
import type { SendInput } from "@effect-custody/transactions/Transactions"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type Database,
  decodeRows,
  everyPayout,
  Flag,
  Integer,
  Millis,
  referencesOf,
  type RowError,
  rowsOf,
  stopped
} from "./database.ts"
import { PayoutState } from "./Payout.ts"

const order = {
  reference: Schema.String,
  attempt: Integer,
  clientId: Schema.String,
  assetId: Schema.String,
  networkId: Schema.NullOr(Schema.String),
  to: Schema.String,
  amount: Positive,
  note: Schema.String
}

const orderKeys = { clientId: "client_id", assetId: "asset_id", networkId: "network_id", to: "destination" } as const

const ClaimedRow = Schema.Struct({
  ...order,
  /** The W3C `traceparent` of the span that submitted it, if it was wanted. */
  trace: Schema.NullOr(Schema.String)
}).pipe(Schema.encodeKeys(orderKeys))

export const decodeClaimed = decodeRows(ClaimedRow)

/** A payout whose intent this process has committed. */
export type Claimed = typeof ClaimedRow.Type & {
  /** `true` if it is the first payout of its asset with the contract. */
  readonly isFirst?: boolean
}

/** The input of the send of a payout: the same for every attempt. */
export const inputOf = ({
  amount,
  assetId,
  clientId,
  networkId,
  note,
  to
}: Omit<Claimed, "attempt" | "reference" | "trace">): SendInput => ({
  clientId,
  assetId,
  to,
  amount,
  note,
  ...(networkId === null ? {} : { networkId })
})

const FollowedRow = Schema.Struct({
  ...order,
  state: PayoutState,
  transactionId: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String),
  /** When it was sent, in milliseconds; `null` if a person has named its transaction. */
  intentAt: Schema.NullOr(Millis),
  /** From when it is searched for, in milliseconds, if its intent was dated ahead. */
  searchedFrom: Schema.NullOr(Millis),
  dueAt: Millis,
  /** When the last pass over the history began that has not shown it, in milliseconds. */
  missedAt: Schema.NullOr(Millis),
  /** `true` if a person has named the transaction, and takes it as it is. */
  isUnchecked: Flag
}).pipe(
  Schema.encodeKeys({
    ...orderKeys,
    transactionId: "transaction_id",
    intentAt: "intent_at",
    searchedFrom: "searched_from",
    dueAt: "due_at",
    missedAt: "missed_at",
    isUnchecked: "unchecked"
  })
)

/** A payout as the follower sees it. */
export type Followed = typeof FollowedRow.Type

const decodeFollowed = decodeRows(FollowedRow)

/** The payouts for which a condition holds, which may end with an order and a limit; not the archived ones. */
export const findFollowed = (
  { sql }: Database,
  condition: Fragment,
  from = "payouts"
): Effect.Effect<ReadonlyArray<Followed>, RowError> =>
  decodeFollowed(sql`SELECT * FROM ${sql.literal(from)} AS payouts WHERE ${condition}`)

/** The payouts to which rows of the history may belong, also the archived ones. */
export const findByHistory = (
  database: Database,
  notes: ReadonlyArray<string>,
  transactionIds: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Followed>, RowError> => {
  const { sql } = database
  const noted = notes.length === 0 ? sql`` : sql`OR ${sql.in("note", notes)}`
  return findFollowed(database, sql`${sql.in("transaction_id", transactionIds)} ${noted}`, everyPayout)
}

/** The payouts of a reference or a batch. */
export const ofTarget = ({ sql }: Database, target: string | { readonly batch: string }): Fragment =>
  typeof target === "string" ? sql`reference = ${target}` : sql`batch = ${target.batch}`

/** The references of the payouts to which some transactions belong. */
export const findOwners = (
  database: Database,
  transactionIds: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, string>, SqlError> => {
  const ids = transactionIds.map((id) => ({ transaction_id: id }))
  const rows = rowsOf(database, ids, { transaction_id: "text" })
  return Effect.map(
    database.sql<{ readonly transaction_id: string; readonly reference: string }>`SELECT d.transaction_id, p.reference
      FROM ${rows} AS d JOIN ${database.sql.literal(everyPayout)} p ON p.transaction_id = d.transaction_id`,
    (found) => new Map(found.map(({ reference, transaction_id: id }) => [id, reference]))
  )
}

/** The undecided payouts that were sent, whose last look was before all others'. */
export const findUndecided = (database: Database, limit: number): Effect.Effect<ReadonlyArray<Followed>, RowError> => {
  const { sql } = database
  return findFollowed(
    database,
    sql`${sql.literal(stopped)} AND state = 'undecided' AND attempt > 0 ORDER BY due_at LIMIT ${limit}`
  )
}

const decodeClaims = decodeRows(Schema.Struct({ reference: Schema.String, at: Millis }))

/** When the first attempts of payouts were claimed, in milliseconds. */
export const findFirstClaims = (
  database: Database,
  references: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, number>, RowError> =>
  Effect.map(
    decodeClaims(database.sql`SELECT d.reference, min(e.at) AS at FROM ${referencesOf(database, references)} AS d
      JOIN payout_events e ON e.reference = d.reference AND e.attempt = 1 GROUP BY d.reference`),
    (found) => new Map(found.map(({ at, reference }) => [reference, at]))
  )
