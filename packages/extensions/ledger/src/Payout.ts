/**
 * Payouts as the ledger keeps them: the order, the state, and what happened.
 *
 * @since 0.1.0
 */
import { type Amount, Positive } from "@effect-custody/core/Amount"
import * as Schema from "effect/Schema"

/**
 * The states of a payout.
 *
 * - `held`: waits for the approval of a second person;
 * - `ready`: waits to be sent;
 * - `sending`: a worker has committed the intent to send it, and may send it until the intent expires;
 * - `unknown`: it may have been sent, and the ledger looks for it in the service's history;
 * - `undecided`: a person has to decide whether it was paid: the whole history does not show it, the history shows a
 *   payment that this ledger does not know and that may be it, or the service does not show what became of its transaction;
 * - `mismatched`: the service shows its transaction with another client, asset, recipient or amount, so a person has to
 *   look: **no worker sends anything until then**;
 * - `accepted`: the service has a transaction for it, which is not final yet;
 * - `paid`, `failed`: the transaction is final;
 * - `refused`: the service refused it, and did nothing;
 * - `cancelled`: it was cancelled before it was sent.
 *
 * @since 0.1.0
 * @category models
 */
export const PayoutState = Schema.Literals([
  "held",
  "ready",
  "sending",
  "unknown",
  "undecided",
  "mismatched",
  "accepted",
  "paid",
  "failed",
  "refused",
  "cancelled"
])
export type PayoutState = typeof PayoutState.Type

/**
 * Why no worker sends anything until a person has looked at a payout.
 *
 * - `behind`: the history shows its payment, and this ledger has never sent it;
 * - `clash`: the history shows a second payment of it, or the service named a transaction of another payout;
 * - `mismatch`: its state is `mismatched`;
 * - `reversed`: its transaction has ended, and the service shows another end now. The state has followed.
 *
 * @since 0.1.0
 * @category models
 */
export const Alarm = Schema.Literals(["behind", "clash", "mismatch", "reversed"])
export type Alarm = typeof Alarm.Type

/**
 * What a payout pays.
 *
 * @since 0.1.0
 * @category models
 */
export interface Order {
  readonly clientId: string
  readonly assetId: string
  /** Required if the asset is on several networks. */
  readonly networkId?: string | undefined
  /** The external address. */
  readonly to: string
  /** In units of the asset; above zero. */
  readonly amount: Amount
  /** The note of the transaction, by which the history shows it. Unique in the ledger. Default: the reference. */
  readonly note?: string | undefined
}

/**
 * An order and its reference: the name of the payout, by which it is paid once.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReferencedOrder extends Order {
  readonly reference: string
}

/**
 * A payout of the ledger.
 *
 * @since 0.1.0
 * @category models
 */
export const Payout = Schema.Struct({
  reference: Schema.String,
  batch: Schema.String,
  clientId: Schema.String,
  assetId: Schema.String,
  networkId: Schema.NullOr(Schema.String),
  to: Schema.String,
  amount: Positive,
  note: Schema.String,
  state: PayoutState,
  /** How often an intent to send the payout was committed. */
  attempt: Schema.Int,
  /** The service's transaction, once it is known. */
  transactionId: Schema.NullOr(Schema.String),
  /** The reason of the state, such as the service's refusal, or the status of the transaction. */
  detail: Schema.NullOr(Schema.String),
  submittedBy: Schema.String,
  submittedAt: Schema.DateTimeUtcFromMillis,
  /** When the last intent was committed. */
  intentAt: Schema.NullOr(Schema.DateTimeUtcFromMillis),
  /** Until when a worker looks for it in the history, while it may have been sent; then a person decides. */
  lookedForUntil: Schema.NullOr(Schema.DateTimeUtcFromMillis),
  /** Why the ledger sends nothing until a person has looked at this payout. */
  alarm: Schema.NullOr(Alarm)
})
export interface Payout extends Schema.Schema.Type<typeof Payout> {}

/**
 * A step of a payout, as the ledger wrote it down together with the new state. A `clash` is a second transaction with the
 * payout's note, or a transaction that belongs to another payout: an {@link Alarm}.
 *
 * @since 0.1.0
 * @category models
 */
export const PayoutEvent = Schema.Struct({
  /** The place in {@link Change changes}: pass the last one to read on. */
  cursor: Schema.String,
  reference: Schema.String,
  attempt: Schema.Int,
  at: Schema.DateTimeUtcFromMillis,
  /** The worker or the person. */
  by: Schema.String,
  step: Schema.String,
  state: PayoutState,
  detail: Schema.NullOr(Schema.String)
})
export interface PayoutEvent extends Schema.Schema.Type<typeof PayoutEvent> {}
