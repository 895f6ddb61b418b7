/**
 * The errors of the ledger.
 *
 * @since 0.1.0
 */
import * as Outcome from "@effect-custody/core/Outcome"
import { escapeInvisible } from "@effect-custody/core/Text"
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { Alarm } from "./Payout.ts"

/** The first few of some names, for a message. */
const few = (all: ReadonlyArray<string>): string => {
  const names = all.map(escapeInvisible)
  return names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ")
}

/**
 * Another order was submitted under these references. Nothing of the call was kept.
 *
 * @since 0.1.0
 * @category errors
 */
export class ReferenceConflict extends Schema.TaggedError<ReferenceConflict>(
  "@effect-custody/ledger/LedgerError/ReferenceConflict"
)("ReferenceConflict", { references: Schema.Array(Schema.String) }) {
  readonly [Outcome.httpStatusKey] = 409
  override get message(): string {
    return `the ledger has other orders under ${few(this.references)}: nothing was submitted`
  }
}

/**
 * Some orders are not valid. Nothing of the call was kept.
 *
 * @since 0.1.0
 * @category errors
 */
export class OrdersInvalid extends Schema.TaggedError<OrdersInvalid>(
  "@effect-custody/ledger/LedgerError/OrdersInvalid"
)("OrdersInvalid", {
  issues: Schema.Array(
    Schema.Struct({
      /** The place of the order, counted from 1. */
      row: Schema.Int,
      column: Schema.String,
      message: Schema.String
    })
  )
}) {
  readonly [Outcome.httpStatusKey] = 422
  override get message(): string {
    return `nothing was submitted: ${few(this.issues.map(({ column, message, row }) => `row ${row}, ${column}: ${message}`))}`
  }
}

/**
 * The batch would have more than is allowed. Nothing of the call was kept.
 *
 * @since 0.1.0
 * @category errors
 */
export class AllowanceExceeded extends Schema.TaggedError<AllowanceExceeded>(
  "@effect-custody/ledger/LedgerError/AllowanceExceeded"
)("AllowanceExceeded", {
  batch: Schema.String,
  /** `payouts`, or the asset. */
  of: Schema.String,
  /** How many payouts, or how much of the asset, the batch may have. */
  allowed: Schema.String,
  /** How many payouts, or how much of the asset, the batch has already. */
  used: Schema.String
}) {
  readonly [Outcome.httpStatusKey] = 422
  override get message(): string {
    return `nothing was submitted: ${this.batch} may have ${this.allowed} ${this.of}, and has ${this.used} already`
  }
}

/**
 * The payout was certainly not paid, and nothing will send it: the service refused it, or it was cancelled.
 *
 * @since 0.1.0
 * @category errors
 */
export class PayoutRefused extends Schema.TaggedError<PayoutRefused>(
  "@effect-custody/ledger/LedgerError/PayoutRefused"
)("PayoutRefused", { reference: Schema.String, reason: Schema.String }) {
  readonly [Outcome.httpStatusKey] = 422
  override get message(): string {
    return escapeInvisible(
      `payout ${this.reference} was not paid: ${this.reason}. Payouts.sendAgain sends a refused payout again`
    )
  }
}

/**
 * The service accepted the payout, and its transaction ended without a payment.
 *
 * @since 0.1.0
 * @category errors
 */
export class PayoutFailed extends Schema.TaggedError<PayoutFailed>("@effect-custody/ledger/LedgerError/PayoutFailed")(
  "PayoutFailed",
  { reference: Schema.String, transactionId: Schema.String, status: Schema.String }
) {
  readonly [Outcome.httpStatusKey] = 422
  override get message(): string {
    return escapeInvisible(`payout ${this.reference} failed: transaction ${this.transactionId} is ${this.status}`)
  }
}

/**
 * **The payout may have been paid.** Its state is `undecided` or `mismatched`, and `evidence` says why. A person has to look
 * at the service, and then calls `Payouts.decide`. The ledger does not send the payout again by itself.
 *
 * @since 0.1.0
 * @category errors
 */
export class PayoutUndecided extends Schema.TaggedError<PayoutUndecided>(
  "@effect-custody/ledger/LedgerError/PayoutUndecided"
)("PayoutUndecided", {
  reference: Schema.String,
  /** When it may have been sent. */
  since: Schema.DateTimeUtc,
  /** What the ledger knows. */
  evidence: Schema.String
}) {
  readonly [Outcome.httpStatusKey] = 202
  override get message(): string {
    const since = DateTime.formatIso(this.since)
    return escapeInvisible(
      `payout ${this.reference} may have been paid at ${since} (${this.evidence}): a person has to decide`
    )
  }
}

const describeAlarm = {
  behind: "in the history before this ledger sent it",
  clash: "paid again",
  mismatch: "not as ordered",
  reversed: "has ended in another way than before"
}

/**
 * A person has to look at payouts before **anything more is sent**.
 *
 * - `behind`: the service's history shows a payout that this ledger has never sent. So the ledger is older
 *   than the history: a restored backup, a failover that lost a commit, or a second ledger. The detail has the status of
 *   the transaction. Call `Payouts.decide(reference, { paid: transactionId }, …)`. The ledger then follows the transaction,
 *   which may have failed.
 * - `clash`: the history shows a second payment of a payout, for example by a second ledger. Find out why, and call
 *   `Payouts.acknowledge`.
 * - `mismatch`: the service shows the payout's transaction with another client, asset, recipient or amount. If the contract
 *   reads it wrongly, mend the contract. Then call `Payouts.decide`.
 * - `reversed`: the transaction of a payout that was `paid` or `failed` has another end now. The payout's state has followed.
 *   Mend what your systems did with the first end, then call `Payouts.acknowledge`.
 *
 * @since 0.1.0
 * @category errors
 */
export class LedgerStopped extends Schema.TaggedError<LedgerStopped>(
  "@effect-custody/ledger/LedgerError/LedgerStopped"
)("LedgerStopped", {
  payouts: Schema.Array(Schema.Struct({ reference: Schema.String, alarm: Alarm, detail: Schema.String }))
}) {
  readonly [Outcome.httpStatusKey] = 503
  override get message(): string {
    const payouts = this.payouts.map(
      ({ alarm, detail, reference }) => `${reference} ${describeAlarm[alarm]}: ${detail}`
    )
    return `the ledger is stopped: ${few(payouts)}`
  }
}

/**
 * A person's step does not apply to a payout or a batch. Nothing was changed.
 *
 * @since 0.1.0
 * @category errors
 */
export class StepRefused extends Schema.TaggedError<StepRefused>("@effect-custody/ledger/LedgerError/StepRefused")(
  "StepRefused",
  {
    step: Schema.Literals(["acknowledge", "approve", "cancel", "confirm", "decide", "send again"]),
    /** The reference or the batch. */
    subject: Schema.String,
    reason: Schema.String
  }
) {
  readonly [Outcome.httpStatusKey] = 409
  override get message(): string {
    return escapeInvisible(`cannot ${this.step} ${this.subject}: ${this.reason}`)
  }
}

/**
 * The ledger's database failed, or cannot be used as it is. What was being sent at that time is not lost: its intent was
 * committed before.
 *
 * @since 0.1.0
 * @category errors
 */
export class LedgerError extends Schema.TaggedError<LedgerError>("@effect-custody/ledger/LedgerError/LedgerError")(
  "LedgerError",
  { operation: Schema.String, reason: Schema.String, cause: Schema.optionalKey(Schema.Defect()) }
) {
  readonly [Outcome.httpStatusKey] = 503
  override get message(): string {
    return `the ledger cannot ${this.operation}: ${this.reason}`
  }
}
