/**
 * The record of a refund.
 *
 * Specification: "Endpoint categories", Fiat Gateway: "refunds of eligible transactions"; fields not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Polling from "@effect-custody/core/Polling"
import * as Schema from "effect/Schema"

/** A refund as the service took it on. Nothing of it is shown; the fields here are assumed. */
export const Refund = Lenient.struct(
  {},
  {
    id: Schema.Union([Schema.String, Schema.Finite]),
    /** What is refunded. */
    transactionId: Id.TransactionId,
    status: Polling.Status,
    /** In `currency`. */
    amount: Amount,
    currency: Schema.String,
    reason: Schema.String,
    createdAt: Schema.String
  }
)
export type Refund = typeof Refund.Type
