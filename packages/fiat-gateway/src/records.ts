/**
 * The records of the fiat gateway. The specification shows no field: those here are assumed.
 *
 * Specification: "Endpoint categories", Fiat Gateway; "Other resources".
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/Polling"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * The method of a deposit.
 *
 * @since 0.1.0
 * @category models
 */
export type PaymentMethod = Lenient.OpenEnum<"CARD" | "BANK_TRANSFER">

/**
 * The codec of a {@link PaymentMethod}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const PaymentMethod = Lenient.OpenEnum("CARD", "BANK_TRANSFER")

/**
 * The status of a payment link.
 *
 * @since 0.1.0
 * @category models
 */
export type PaymentLinkStatus = Lenient.OpenEnum<"PENDING" | "COMPLETED" | "EXPIRED" | "ERROR">

/**
 * The codec of a {@link PaymentLinkStatus}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const PaymentLinkStatus = Lenient.OpenEnum("PENDING", "COMPLETED", "EXPIRED", "ERROR")

/**
 * A link by which a client deposits fiat funds. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export class PaymentLink extends Lenient.Opaque<PaymentLink>()(
  { id: Id.LinkId },
  {
    /** The address at which the client pays. */
    url: Schema.String,
    status: PaymentLinkStatus,
    /** The client's externalId. Assumed: not the service's own `id` of the client. */
    clientId: Id.ClientId,
    /** In `currency`. */
    amount: Amount,
    currency: Schema.String,
    method: PaymentMethod,
    /** The deposit; absent until the client has paid. */
    transactionId: Id.TransactionId,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
) {}

/**
 * A refund as the service accepted it. The specification shows none of its fields: those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export class Refund extends Lenient.Opaque<Refund>()(
  {},
  {
    id: Id.Unnamed,
    /** The refunded transaction. */
    transactionId: Id.TransactionId,
    status: Status,
    /** In `currency`. */
    amount: Amount,
    currency: Schema.String,
    reason: Schema.String,
    createdAt: Timestamp
  }
) {}
