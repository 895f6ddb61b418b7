/** The result of searching the history for a transaction whose outcome is unknown. */
import { OutcomeUnknown } from "@effect-custody/core/SdkError"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Transaction } from "./records.ts"

/**
 * A field by which a transaction differs from the input.
 *
 * @since 0.1.0
 * @category models
 */
export interface Difference {
  readonly field: "amount" | "to" | "toClientId" | "note" | "type" | "clientId" | "assetId" | "networkId"
  /** The value in the input. */
  readonly requested: string
  /** The value in the history, or `undefined` if the transaction does not show the field. */
  readonly shown: string | undefined
}

/**
 * A transaction that may be the payment.
 *
 * @since 0.1.0
 * @category models
 */
export interface Candidate {
  readonly transaction: Transaction
  /**
   * The differences from the input. A candidate without differences may still be another payment: if several
   * candidates have the same note, or if the input has no note.
   */
  readonly differences: ReadonlyArray<Difference>
}

/**
 * The result of searching the history.
 *
 * @since 0.1.0
 * @category models
 */
export type Reconciliation =
  /**
   * Exactly one transaction has the input's note, and all its other fields fit the input. The payment was made, whatever
   * the transaction's status.
   */
  | { readonly _tag: "Found"; readonly transaction: Transaction }
  /**
   * No transaction fits. The payment may still appear, so wait and look again before you decide that it was not made.
   */
  | { readonly _tag: "NotFoundSoFar" }
  /**
   * Several transactions may be the payment. Or one may be, but is not certain: it differs from the input, or the input
   * has no note. A person has to decide.
   */
  | { readonly _tag: "SeveralCandidates"; readonly candidates: readonly [Candidate, ...Array<Candidate>] }

/**
 * The options of `Transactions.reconcile`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ReconcileOptions {
  /**
   * How far the service's times may be from ours: the search begins this long before the payment's call. Default: 26 hours,
   * which allows for clock differences, time zones and dates without a time.
   */
  readonly clockSkew?: Duration.Input | undefined
  /** The number of transactions in a page. Set a lower number if the service refuses 100, the default. */
  readonly limit?: number | undefined
}

/**
 * The options of `Transactions.find`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface FindOptions extends ReconcileOptions {
  /** A time before the payment's call, by this host's clock. */
  readonly since: DateTime.Utc
}

/**
 * The history does not show a payment, and does not prove that the payment was not made: its times cannot be true, or
 * its transactions may all be newer or older than the payment.
 *
 * @since 0.1.0
 * @category errors
 */
export class HistoryUnproven extends Schema.TaggedError<HistoryUnproven>(
  "@effect-custody/transactions/Transactions/HistoryUnproven"
)("HistoryUnproven", {
  operation: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.operation} does not prove that a payment is missing: ${this.reason}`
  }
}

/**
 * The history could not be read, or does not prove that the payment is missing ({@link HistoryUnproven}), so **the payment's outcome is still unknown**. Look again before you send the payment
 * again.
 *
 * @since 0.1.0
 * @category errors
 */
export class ReconcileFailed extends Schema.TaggedError<ReconcileFailed>(
  "@effect-custody/transactions/Transactions/ReconcileFailed"
)("ReconcileFailed", {
  operation: Schema.String,
  /** The fingerprint of the payment's input. */
  fingerprint: Schema.String,
  /** The error of the payment's call; absent if `Transactions.find` failed. */
  unknown: Schema.optionalKey(OutcomeUnknown),
  cause: Schema.Defect()
}) {
  override get message(): string {
    const cause = Predicate.hasProperty(this.cause, "message") ? String(this.cause.message) : "for an unknown reason"
    // In `cause`, "was not sent" means the request for the history. A reader could think that the payment was not sent.
    const reason = cause.replaceAll("was not sent", "failed")
    return `${this.operation} may have happened, and its history could not be read (${reason}): look again before sending it again`
  }
}
