/**
 * Specification: "Other resources", "States and transitions". These sections list types and statuses, but show no
 * fields or identifiers. The SDK assumes the fields and identifiers.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/**
 * The kind of a transaction.
 *
 * @since 0.1.0
 * @category models
 */
export type TransactionType = OpenEnum<"INCOMING" | "OUTGOING" | "INTERNAL_TRANSFER" | "SWAP" | "ALLOWANCE">

/**
 * The codec of a {@link TransactionType}, with a guard for the known types.
 *
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const type = Transactions.get({ transactionId: "t1" }).pipe(
 *   Effect.map(({ type }) => (Transactions.TransactionType.isKnown(type) ? type : "another type"))
 * )
 * ```
 *
 * @since 0.1.0
 * @category codecs
 */
export const TransactionType = OpenEnum("INCOMING", "OUTGOING", "INTERNAL_TRANSFER", "SWAP", "ALLOWANCE")

interface TransactionDetails extends Lenient.Fields {
  readonly type?: TransactionType
  readonly clientId?: Id.ClientId
  /** The client that receives an internal transfer. */
  readonly toClientId?: Id.ClientId
  readonly walletId?: Id.WalletId
  readonly assetId?: Id.AssetId
  readonly networkId?: Id.NetworkId
  /** In units of the asset. */
  readonly amount?: Amount
  /** The network's fee, in units of the network's own coin. */
  readonly fee?: Amount
  readonly from?: string
  readonly to?: string
  readonly note?: string
  /** The transaction's hash on the blockchain. */
  readonly hash?: string
  readonly createdAt?: DateTime.Utc
  readonly updatedAt?: DateTime.Utc
}

const optional = {
  type: TransactionType,
  clientId: Id.ClientId,
  toClientId: Id.ClientId,
  walletId: Id.WalletId,
  assetId: Id.AssetId,
  networkId: Id.NetworkId,
  amount: Amount,
  fee: Amount,
  from: Schema.String,
  to: Schema.String,
  note: Schema.String,
  hash: Schema.String,
  createdAt: Timestamp,
  updatedAt: Timestamp
}

/**
 * A movement of an asset. All fields except `id` and `status` are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Transaction extends TransactionDetails {
  readonly id: Id.TransactionId
  readonly status: Status
}

/**
 * The codec of a {@link Transaction}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Transaction = Lenient.struct<Transaction>({ id: Id.TransactionId, status: Status }, optional)

/**
 * A transaction as the service accepted it. Only the `id` is required. Use the `id` to follow the transaction.
 *
 * @since 0.1.0
 * @category models
 */
export interface SubmittedTransaction extends TransactionDetails {
  readonly id: Id.TransactionId
  readonly status?: Status
}

/**
 * The codec of a {@link SubmittedTransaction}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const SubmittedTransaction = Lenient.struct<SubmittedTransaction>(
  { id: Id.TransactionId },
  { status: Status, ...optional }
)

/**
 * The status of a transaction. All fields except `status` are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransactionStatus extends Lenient.Fields {
  readonly status: Status
  readonly id?: Id.TransactionId
  readonly updatedAt?: DateTime.Utc
}

/**
 * The codec of a {@link TransactionStatus}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const TransactionStatus = Lenient.struct<TransactionStatus>(
  { status: Status },
  { id: Id.TransactionId, updatedAt: Timestamp }
)
