/**
 * The record of an approval.
 *
 * Specification: "Endpoint categories", Vaults: "approvals […] can be read"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Schema from "effect/Schema"

/** What somebody has to agree to, or has. Assumed beyond its `id`. */
export const Approval = Lenient.struct(
  { id: Id.ApprovalId },
  {
    status: OpenEnum("PENDING", "APPROVED", "REJECTED"),
    /** What waits for it. */
    transactionId: Id.TransactionId,
    createdAt: Schema.String
  }
)
export type Approval = typeof Approval.Type
