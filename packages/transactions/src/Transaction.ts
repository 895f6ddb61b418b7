/**
 * The record of a transaction.
 *
 * Specification: "Other resources", "States and transitions": types incoming, outgoing, internal transfer, swap,
 * allowance; statuses from pending through to completed, rejected or error; fields and identifiers not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Polling from "@effect-custody/core/Polling"
import * as Schema from "effect/Schema"

/** What kind of movement a transaction is. */
export const TransactionType = OpenEnum("INCOMING", "OUTGOING", "INTERNAL_TRANSFER", "SWAP", "ALLOWANCE")
export type TransactionType = typeof TransactionType.Type

const usual = {
  type: TransactionType,
  clientId: Id.ClientId,
  walletId: Id.WalletId,
  assetId: Id.AssetId,
  networkId: Id.NetworkId,
  /** In units of the asset. */
  amount: Amount,
  /** What the network took, in units of its own coin. */
  fee: Amount,
  from: Schema.String,
  to: Schema.String,
  note: Schema.String,
  /** The transaction's name on the blockchain. */
  hash: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String
}

/** A movement of an asset. Assumed beyond its `id` and `status`. */
export const Transaction = Lenient.struct({ id: Id.TransactionId, status: Polling.Status }, usual)
export type Transaction = typeof Transaction.Type

/** A transaction as the service tells it when it has taken it on: the `id` to follow it by is all that is promised. */
export const SubmittedTransaction = Lenient.struct({ id: Id.TransactionId }, { status: Polling.Status, ...usual })
export type SubmittedTransaction = typeof SubmittedTransaction.Type
