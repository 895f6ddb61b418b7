/** Specification: "Endpoint categories", Fiat Gateway: "refunds of eligible transactions"; fields not shown. */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * A refund as the service accepted it. The specification shows none of its fields: those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export class Refund extends Lenient.Record<Refund>()(
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
