/**
 * The first payouts: with each contract, the first payout of an asset goes alone, and a person confirms it once. The
 * confirmed pairs of contract and asset stay, so that two versions of a program can run side by side.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../database/database.ts"
import { decodeRows, Flag, type RowError, Time } from "../database/rows.ts"
import { record } from "./writeState.ts"

/**
 * The first payout of an asset with a contract, which a person has to confirm before any other payout of the asset is
 * sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Confirmation {
  /** The contract's fingerprint. */
  readonly contract: string
  readonly assetId: string
  readonly reference: string
  /** The request as it was sent; `null` if its process ended before it could be kept. */
  readonly request: string | null
  /** The transaction as the service gave it, read by no contract; `null` until the service shows it. */
  readonly answer: string | null
  /** Since when the service shows it with the order's client, asset, recipient and amount. */
  readonly shownAt: DateTime.Utc | null
  /** `true` if `answer` shows the end of the transaction: the state of the payout is to be compared with it. */
  readonly isFinal: boolean
}

/** The contract, the asset and the payout that a confirmation is about. */
export type Pair = Pick<Confirmation, "contract" | "assetId" | "reference">

const decodeConfirmations = decodeRows(
  Schema.Struct({
    contract: Schema.String,
    assetId: Schema.String,
    reference: Schema.String,
    request: Schema.NullOr(Schema.String),
    answer: Schema.NullOr(Schema.String),
    shownAt: Schema.NullOr(Time),
    isFinal: Flag
  }).pipe(Schema.encodeKeys({ assetId: "asset_id", shownAt: "shown_at", isFinal: "is_final" }))
)

const select = ({ sql }: Database, condition: Fragment): Effect.Effect<ReadonlyArray<Confirmation>, RowError> =>
  decodeConfirmations(sql`SELECT contract, asset_id, reference, request, answer, shown_at, is_final FROM payout_gates
    WHERE confirmed_at IS NULL AND ${condition} ORDER BY asset_id, contract`)

/** The first payouts that others of their asset wait for. */
export const findAwaited = (database: Database): Effect.Effect<ReadonlyArray<Confirmation>, RowError> =>
  select(
    database,
    database.sql`EXISTS (SELECT 1 FROM payouts p WHERE p.state = 'ready' AND p.asset_id = payout_gates.asset_id)`
  )

/** The first payouts with a contract that nobody has confirmed. */
export const findUnconfirmed = (
  database: Database,
  contract: string
): Effect.Effect<ReadonlyArray<Confirmation>, RowError> => select(database, database.sql`contract = ${contract}`)

/** Keeps the request of a first payout. */
export const keepRequest = ({ sql }: Database, reference: string, request: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    sql`UPDATE payout_gates SET request = ${request} WHERE reference = ${reference} AND confirmed_at IS NULL`
  )

/** Notes that the service shows a first payout as it was ordered. */
export const noteShown = Effect.fnUntraced(function* (
  database: Database,
  { contract, reference }: Pick<Confirmation, "contract" | "reference">,
  answer: string,
  isFinal: boolean
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const now = yield* database.now
  yield* sql`UPDATE payout_gates SET answer = ${answer}, shown_at = ${now}, is_final = ${Number(isFinal)}
    WHERE contract = ${contract} AND reference = ${reference} AND confirmed_at IS NULL AND is_final = 0`
})

/** Lets another payout be the first in place of one that was certainly not paid. */
export const freeUnpaid = ({ sql }: Database): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`DELETE FROM payout_gates WHERE confirmed_at IS NULL AND reference IN (
    SELECT p.reference FROM payouts p WHERE p.reference = payout_gates.reference
      AND p.state IN ('ready', 'refused', 'cancelled'))`)

/** Confirms a first payout that the service shows. Returns `false` if there is none, or it was confirmed before. */
export const confirm = Effect.fnUntraced(function* (
  database: Database,
  { assetId, contract, reference }: Pair,
  by: string
): Effect.fn.Return<boolean, SqlError> {
  const { durable, sql } = database
  const now = yield* database.now
  const confirmed = yield* sql`UPDATE payout_gates SET confirmed_at = ${now}, confirmed_by = ${by}
    WHERE contract = ${contract} AND asset_id = ${assetId} AND reference = ${reference}
      AND shown_at IS NOT NULL AND confirmed_at IS NULL AND ${durable} RETURNING reference`
  if (confirmed.length === 0) return false
  yield* record(database, by, [{ reference, step: "confirmed", detail: `contract ${contract}, ${assetId}` }])
  return true
})
