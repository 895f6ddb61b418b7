/** Specification: "Endpoint categories", Vaults: "approvals […] can be read"; fields not shown. */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"

/**
 * A decision that a person has to take, or has taken. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Approval extends Lenient.Fields {
  readonly id: Id.ApprovalId
  readonly status?: OpenEnum<"PENDING" | "APPROVED" | "REJECTED">
  /** The transaction that waits for it. */
  readonly transactionId?: Id.TransactionId
  readonly createdAt?: DateTime.Utc
}

/**
 * The codec of a {@link Approval}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Approval = Lenient.struct<Approval>(
  { id: Id.ApprovalId },
  { status: OpenEnum("PENDING", "APPROVED", "REJECTED"), transactionId: Id.TransactionId, createdAt: Timestamp }
)
