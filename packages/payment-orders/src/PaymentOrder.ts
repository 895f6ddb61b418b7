/**
 * The record of a payment order.
 *
 * Specification: "Endpoint categories", Payment Vault Order: "Each order has a payment link and an assigned wallet";
 * "States and transitions": "can be cancelled while pending"; fields and identifiers not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Schema from "effect/Schema"

/** How far a payment order is. */
export const PaymentOrderStatus = OpenEnum("PENDING", "COMPLETED", "CANCELLED", "REJECTED", "ERROR")
export type PaymentOrderStatus = typeof PaymentOrderStatus.Type

const usual = {
  /** Where the payer pays. */
  paymentLink: Schema.String,
  /** The wallet that was assigned. */
  walletId: Id.WalletId,
  /** The address of that wallet. */
  address: Schema.String,
  clientId: Id.ClientId,
  /** Absent until it has been chosen. */
  assetId: Id.AssetId,
  networkId: Id.NetworkId,
  /** In `currency` if there is one, otherwise in units of the asset. */
  amount: Amount,
  /** The fiat currency of `amount`. */
  currency: Schema.String,
  /** What `amount` comes to, in units of the asset. */
  assetAmount: Amount,
  note: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String
}

/** A request for a crypto payment. Assumed beyond its `id` and `status`. */
export const PaymentOrder = Lenient.struct({ id: Id.OrderId, status: PaymentOrderStatus }, usual)
export type PaymentOrder = typeof PaymentOrder.Type

/** An order as the service tells it when it has taken it on: the `id` to follow it by is all that is promised. */
export const SubmittedPaymentOrder = Lenient.struct({ id: Id.OrderId }, { status: PaymentOrderStatus, ...usual })
export type SubmittedPaymentOrder = typeof SubmittedPaymentOrder.Type

/** What the service says of an order that it has changed: the caller knows its id, so nothing is promised. */
export const ChangedPaymentOrder = Lenient.struct({}, { id: Id.OrderId, status: PaymentOrderStatus, ...usual })
export type ChangedPaymentOrder = typeof ChangedPaymentOrder.Type
