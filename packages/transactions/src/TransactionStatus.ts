/** Specification: "States and transitions"; fields and identifiers not shown. */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"

/**
 * How far a transaction is. Assumed beyond its `status`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransactionStatus extends Lenient.Fields {
  readonly status: Status
  readonly id?: Id.TransactionId
  readonly updatedAt?: string
}

/**
 * The codec of a {@link TransactionStatus}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const TransactionStatus = Lenient.struct<TransactionStatus>(
  { status: Status },
  { id: Id.TransactionId, updatedAt: Timestamp }
)
