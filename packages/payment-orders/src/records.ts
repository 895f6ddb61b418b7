/**
 * The records of payment orders. The specification shows no field and no identifier of a status: those here are assumed.
 *
 * Specification: "Endpoint categories", Payment Vault Order; "States and transitions".
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * The status of a payment order.
 *
 * @since 0.1.0
 * @category models
 */
export type PaymentOrderStatus = Lenient.OpenEnum<"PENDING" | "COMPLETED" | "CANCELLED" | "REJECTED" | "ERROR">

/**
 * The codec of a {@link PaymentOrderStatus}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const PaymentOrderStatus = Lenient.OpenEnum("PENDING", "COMPLETED", "CANCELLED", "REJECTED", "ERROR")

const details = {
  /** Where the payer pays. */
  paymentLink: Schema.String,
  /** The wallet that is assigned to the order. */
  walletId: Id.WalletId,
  /** The address of that wallet. */
  address: Schema.String,
  /** The client's externalId. Assumed: not the service's own `id` of the client. */
  clientId: Id.ClientId,
  /** Absent until the asset is chosen. */
  assetId: Id.AssetId,
  networkId: Id.NetworkId,
  /** In `currency` if there is one, otherwise in units of the asset. */
  amount: Amount,
  /** The fiat currency of `amount`. */
  currency: Schema.String,
  /** `amount` converted, in units of the asset. */
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
export class PaymentOrder extends Lenient.Opaque<PaymentOrder>()(
  { id: Id.OrderId, status: PaymentOrderStatus },
  details
) {}

/**
 * An order as the service accepted it. Only the `id` is required, to follow the order by.
 *
 * @since 0.1.0
 * @category models
 */
export class SubmittedPaymentOrder extends Lenient.Opaque<SubmittedPaymentOrder>()(
  { id: Id.OrderId },
  { status: PaymentOrderStatus, ...details }
) {}

/**
 * An order as the service answers a change. No field is required: the caller knows the id.
 *
 * @since 0.1.0
 * @category models
 */
export class ChangedPaymentOrder extends Lenient.Opaque<ChangedPaymentOrder>()(
  {},
  { id: Id.OrderId, status: PaymentOrderStatus, ...details }
) {}
