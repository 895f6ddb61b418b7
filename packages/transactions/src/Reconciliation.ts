/** What the history says about a transaction whose outcome is unknown. */
import { OutcomeUnknown } from "@effect-custody/core/SdkError"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Transaction } from "./Transaction.ts"

/**
 * A field in which a transaction differs from the input.
 *
 * @since 0.1.0
 * @category models
 */
export interface Difference {
  readonly field: "amount" | "to" | "toClientId" | "note" | "type" | "clientId" | "assetId" | "networkId"
  readonly asked: string
  /** `undefined` where the transaction does not show it. */
  readonly shown: string | undefined
}

/**
 * A transaction that may be the one that is looked for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Candidate {
  readonly transaction: Transaction
  /** How it differs from the input. If nothing differs, there is more than one candidate. */
  readonly differences: ReadonlyArray<Difference>
}

/**
 * The result of a look in the history.
 *
 * @since 0.1.0
 * @category models
 */
export type Reconciliation =
  /** One transaction agrees, and shows enough to be certain: it was made, whatever its status. */
  | { readonly _tag: "Found"; readonly transaction: Transaction }
  /** No transaction fits. It may still appear: wait and look again before you decide that it was not made. */
  | { readonly _tag: "NotFoundSoFar" }
  /** Several may be it, or one that does not show enough or differs. A person has to decide. */
  | { readonly _tag: "SeveralCandidates"; readonly candidates: readonly [Candidate, ...Array<Candidate>] }

/**
 * The options of `Transactions.reconcile`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ReconcileOptions {
  /** How long before the call the history begins: enough for clocks, time zones and dates. Default: 26 hours. */
  readonly window?: Duration.Input
  /** How many transactions to ask for at a time: fewer if the service refuses that many. Default: 100. */
  readonly limit?: number
}

/**
 * The options of `Transactions.find`.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface FindOptions extends ReconcileOptions {
  /** A time before the call, by our clock. */
  readonly since: DateTime.Utc
}

/**
 * The history could not answer: **the payment is still unknown**. Look again before you send it again.
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
  /** The error of the payment's call; absent after `Transactions.find`. */
  unknown: Schema.optionalKey(OutcomeUnknown),
  cause: Schema.Defect()
}) {
  override get message(): string {
    const cause = Predicate.hasProperty(this.cause, "message") ? String(this.cause.message) : "for an unknown reason"
    // The request for the history was not sent. The payment may have been.
    const reason = cause.replaceAll("was not sent", "failed")
    return `${this.operation} may have happened, and its history could not be read (${reason}): look again before sending it again`
  }
}
