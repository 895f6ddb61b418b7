/**
 * The record of a transaction's status.
 *
 * Specification: "States and transitions"; fields and identifiers not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Polling from "@effect-custody/core/Polling"
import * as Schema from "effect/Schema"

/** How far a transaction is. Assumed beyond its `status`. */
export const TransactionStatus = Lenient.struct(
  { status: Polling.Status },
  { id: Id.TransactionId, updatedAt: Schema.String }
)
export type TransactionStatus = typeof TransactionStatus.Type
