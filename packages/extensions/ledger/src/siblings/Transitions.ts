/**
 * The steps of a payout as data: from which states each leads, and where. No other step changes a state.
 *
 * @siblings tests explore the states of a payout.
 */
import type { PayoutState } from "../Payout.ts"

/** From each state in which a transaction of ours changes what we know. `held` has never been sent. */
const evidence = ["sending", "unknown", "undecided", "ready", "refused", "cancelled"] as const

/** The states of an attempt that has not ended for its own sender. Only the sender knows that nothing was written. */
const own = ["sending", "unknown", "undecided"] as const

export const transitions = {
  approved: { from: ["held"], to: "ready" },
  cancelled: { from: ["held", "ready"], to: "cancelled" },
  claimed: { from: ["ready"], to: "sending" },
  /** The service answered its sender with a transaction. */
  accepted: { from: evidence, to: "accepted" },
  /** The history shows a transaction with the payout's note. */
  found: { from: evidence, to: "accepted" },
  refused: { from: own, to: "refused" },
  /** Its sender knows that nothing was sent. */
  notSent: { from: own, to: "ready" },
  /** Its sender does not know whether the service acted. */
  lost: { from: ["sending"], to: "unknown" },
  /** The intent expired, and its sender wrote nothing. */
  expired: { from: ["sending"], to: "unknown" },
  /** The whole history does not show it. */
  missing: { from: ["unknown"], to: "undecided" },
  /** The service named a transaction that belongs to another payout. */
  doubted: { from: own, to: "undecided" },
  /** The history shows an equal payment that no payout owns. */
  suspected: { from: ["ready"], to: "undecided" },
  /** The service shows its transaction with another client, asset, recipient or amount. */
  mismatched: { from: ["accepted", "failed", ...own], to: "mismatched" },
  /** The service does not show its transaction, shows no end that the contract maps, or does not show what it paid. */
  unclear: { from: ["accepted", "failed"], to: "undecided" },
  completed: { from: ["accepted"], to: "paid" },
  failed: { from: ["accepted"], to: "failed" },
  /** The service shows another end of its transaction than before. */
  reversed: { from: ["paid"], to: "failed" },
  revived: { from: ["failed"], to: "paid" },
  decidedPaid: { from: ["undecided", "mismatched", "ready", "held"], to: "accepted" },
  /** Of a payout that the history showed before it was sent: that payment has failed. */
  decidedUnpaid: { from: ["ready"], to: "ready" },
  decidedNotPaid: { from: ["undecided", "mismatched"], to: "ready" },
  /** A person sends a refused payout again, for example after the client has funds. */
  orderedAgain: { from: ["refused"], to: "ready" }
} as const satisfies Record<string, { readonly from: ReadonlyArray<PayoutState>; readonly to: PayoutState }>

export type Step = keyof typeof transitions

/** Every step by name, with plain types. */
export const stepRule: Readonly<Record<Step, { readonly from: ReadonlyArray<PayoutState>; readonly to: PayoutState }>> =
  transitions

/** The state after a step, or `undefined` if the step does not lead on from the state. */
export const decide = (state: PayoutState, step: Step): PayoutState | undefined =>
  stepRule[step].from.includes(state) ? stepRule[step].to : undefined

/** The states of a payout that was certainly not paid. */
export const unpaidStates = [
  "held",
  "ready",
  "refused",
  "failed",
  "cancelled"
] as const satisfies ReadonlyArray<PayoutState>

/** The states from which a worker leads on. */
export const openStates = ["ready", "sending", "unknown", "accepted"] as const satisfies ReadonlyArray<PayoutState>
