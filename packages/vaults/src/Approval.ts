/**
 * The record of an approval.
 *
 * Specification: "Endpoint categories", Vaults: "approvals […] can be read"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Open from "@effect-custody/core/Open"
import * as Schema from "effect/Schema"

/** What somebody has to agree to, or has. Assumed beyond its `id`. */
export const Approval = Open.record(
  { id: Id.ApprovalId },
  {
    status: Open.set("PENDING", "APPROVED", "REJECTED"),
    /** What waits for it. */
    transactionId: Id.TransactionId,
    createdAt: Schema.String
  }
)
export type Approval = typeof Approval.Type
