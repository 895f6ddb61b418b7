/**
 * The records of transactions. The specification lists types and statuses, and shows no field or identifier: those here
 * are assumed.
 *
 * Specification: "Other resources"; "States and transitions".
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/Polling"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * The kind of a transaction.
 *
 * @since 0.1.0
 * @category models
 */
export type TransactionType = Lenient.OpenEnum<"INCOMING" | "OUTGOING" | "INTERNAL_TRANSFER" | "SWAP" | "ALLOWANCE">

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
export const TransactionType = Lenient.OpenEnum("INCOMING", "OUTGOING", "INTERNAL_TRANSFER", "SWAP", "ALLOWANCE")

const details = {
  type: TransactionType,
  /** The client's externalId. Assumed: not the service's own `id` of the client. */
  clientId: Id.ClientId,
  /** The externalId of the client that receives an internal transfer. */
  toClientId: Id.ClientId,
  walletId: Id.WalletId,
  assetId: Id.AssetId,
  networkId: Id.NetworkId,
  /** In units of the asset. */
  amount: Amount,
  /** The network's fee, in units of `feeAssetId`; without it, of the network's own coin. */
  fee: Amount,
  /** The asset of the fee, if the service says it: only then can a fee explain a difference of amounts. */
  feeAssetId: Id.AssetId,
  from: Schema.String,
  to: Schema.String,
  note: Schema.String,
  /** The transaction's hash on the blockchain. */
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
export class Transaction extends Lenient.Opaque<Transaction>()({ id: Id.TransactionId, status: Status }, details) {}

/**
 * A transaction as the service accepted it. Only the `id` is required. Use the `id` to follow the transaction.
 *
 * @since 0.1.0
 * @category models
 */
export class SubmittedTransaction extends Lenient.Opaque<SubmittedTransaction>()(
  { id: Id.TransactionId },
  { status: Status, ...details }
) {}

/**
 * The status of a transaction. All fields except `status` are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export class TransactionStatus extends Lenient.Opaque<TransactionStatus>()(
  { status: Status },
  { id: Id.TransactionId, updatedAt: Timestamp }
) {}
