/**
 * The record of a fiat payment link.
 *
 * Specification: "Endpoint categories", Fiat Gateway; "Other resources": fields not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Schema from "effect/Schema"

/** How a client pays in. */
export const PaymentMethod = OpenEnum("CARD", "BANK_TRANSFER")
export type PaymentMethod = typeof PaymentMethod.Type

/** How far a payment link is. */
export const PaymentLinkStatus = OpenEnum("PENDING", "COMPLETED", "EXPIRED", "ERROR")
export type PaymentLinkStatus = typeof PaymentLinkStatus.Type

/** A link by which a client deposits fiat funds. Assumed beyond its `id`. */
export const PaymentLink = Lenient.struct(
  { id: Id.LinkId },
  {
    /** Where the client pays. */
    url: Schema.String,
    status: PaymentLinkStatus,
    clientId: Id.ClientId,
    /** In `currency`. */
    amount: Amount,
    currency: Schema.String,
    method: PaymentMethod,
    /** The deposit, once there is one. */
    transactionId: Id.TransactionId,
    createdAt: Schema.String,
    updatedAt: Schema.String
  }
)
export type PaymentLink = typeof PaymentLink.Type
