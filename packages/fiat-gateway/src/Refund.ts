/** Specification: "Endpoint categories", Fiat Gateway: "refunds of eligible transactions"; fields not shown. */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/**
 * A refund as the service accepted it. The specification shows none of its fields: those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refund extends Lenient.Fields {
  readonly id?: string | number
  /** The refunded transaction. */
  readonly transactionId?: Id.TransactionId
  readonly status?: Status
  /** In `currency`. */
  readonly amount?: Amount
  readonly currency?: string
  readonly reason?: string
  readonly createdAt?: DateTime.Utc
}

/**
 * The codec of a {@link Refund}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Refund = Lenient.struct<Refund>(
  {},
  {
    id: Schema.Union([Schema.String, Schema.Finite]),
    transactionId: Id.TransactionId,
    status: Status,
    amount: Amount,
    currency: Schema.String,
    reason: Schema.String,
    createdAt: Timestamp
  }
)
