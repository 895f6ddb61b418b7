/**
 * The record of a transaction's status.
 *
 * Specification: "States and transitions"; fields and identifiers not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Open from "@effect-custody/core/Open"
import * as Progress from "@effect-custody/core/Progress"
import * as Schema from "effect/Schema"

/** How far a transaction is. Assumed beyond its `status`. */
export const TransactionStatus = Open.record(
  { status: Progress.Status },
  { id: Id.TransactionId, updatedAt: Schema.String }
)
export type TransactionStatus = typeof TransactionStatus.Type
