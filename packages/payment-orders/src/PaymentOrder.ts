/**
 * Specification: "Endpoint categories", Payment Vault Order: "Each order has a payment link and an assigned wallet";
 * "States and transitions": "can be cancelled while pending"; fields and identifiers not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/**
 * The status of a payment order.
 *
 * @since 0.1.0
 * @category models
 */
export type PaymentOrderStatus = OpenEnum<"PENDING" | "COMPLETED" | "CANCELLED" | "REJECTED" | "ERROR">

/**
 * The codec of a {@link PaymentOrderStatus}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const PaymentOrderStatus = OpenEnum("PENDING", "COMPLETED", "CANCELLED", "REJECTED", "ERROR")

/**
 * The optional fields of a payment order.
 *
 * @since 0.1.0
 * @category models
 */
export interface PaymentOrderDetails extends Lenient.Fields {
  /** Where the payer pays. */
  readonly paymentLink?: string
  /** The wallet that is assigned to the order. */
  readonly walletId?: Id.WalletId
  /** The address of that wallet. */
  readonly address?: string
  readonly clientId?: Id.ClientId
  /** Absent until the asset is chosen. */
  readonly assetId?: Id.AssetId
  readonly networkId?: Id.NetworkId
  /** In `currency` if there is one, otherwise in units of the asset. */
  readonly amount?: Amount
  /** The fiat currency of `amount`. */
  readonly currency?: string
  /** `amount` converted, in units of the asset. */
  readonly assetAmount?: Amount
  readonly note?: string
  readonly createdAt?: DateTime.Utc
  readonly updatedAt?: DateTime.Utc
}

const optional = {
  paymentLink: Schema.String,
  walletId: Id.WalletId,
  address: Schema.String,
  clientId: Id.ClientId,
  assetId: Id.AssetId,
  networkId: Id.NetworkId,
  amount: Amount,
  currency: Schema.String,
  assetAmount: Amount,
  note: Schema.String,
  createdAt: Timestamp,
  updatedAt: Timestamp
}

/**
 * A request for a crypto payment. Assumed beyond its `id` and `status`.
 *
 * @since 0.1.0
 * @category models
 */
export interface PaymentOrder extends PaymentOrderDetails {
  readonly id: Id.OrderId
  readonly status: PaymentOrderStatus
}

/**
 * The codec of a {@link PaymentOrder}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const PaymentOrder = Lenient.struct<PaymentOrder>({ id: Id.OrderId, status: PaymentOrderStatus }, optional)

/**
 * An order as the service accepted it. Only the `id` is required, to follow the order by.
 *
 * @since 0.1.0
 * @category models
 */
export interface SubmittedPaymentOrder extends PaymentOrderDetails {
  readonly id: Id.OrderId
  readonly status?: PaymentOrderStatus
}

/**
 * The codec of a {@link SubmittedPaymentOrder}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const SubmittedPaymentOrder = Lenient.struct<SubmittedPaymentOrder>(
  { id: Id.OrderId },
  { status: PaymentOrderStatus, ...optional }
)

/**
 * An order as the service answers a change. No field is required: the caller knows the id.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChangedPaymentOrder extends PaymentOrderDetails {
  readonly id?: Id.OrderId
  readonly status?: PaymentOrderStatus
}

/**
 * The codec of a {@link ChangedPaymentOrder}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const ChangedPaymentOrder = Lenient.struct<ChangedPaymentOrder>(
  {},
  { id: Id.OrderId, status: PaymentOrderStatus, ...optional }
)
