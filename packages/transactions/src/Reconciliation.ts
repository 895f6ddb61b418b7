/**
 * What became of a transaction whose outcome is unknown, from the history: pure comparisons of what was asked for with
 * what is there.
 */
import * as BigDecimal from "effect/BigDecimal"
import type { Transaction } from "./Transaction.ts"

/**
 * What the history says.
 *
 * @since 0.1.0
 * @category models
 */
export type Reconciliation =
  /** One transaction agrees, and shows enough to be the one: it has happened, however it ended. */
  | { readonly _tag: "Found"; readonly transaction: Transaction }
  /** None can be it. One may still appear: look again, and wait, before you decide that it has not happened. */
  | { readonly _tag: "NotFoundSoFar" }
  /** Several may be it, or one that does not show enough, or shows something else too. A person has to look. */
  | { readonly _tag: "SeveralCandidates"; readonly transactions: readonly [Transaction, ...Array<Transaction>] }

/**
 * What was asked for, in the terms of the history.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wanted {
  readonly clientId: string
  readonly assetId: string
  readonly networkId: string | undefined
  /** The address that it went to; absent where it went to another client. */
  readonly to: string | undefined
  readonly amount: BigDecimal.BigDecimal
  readonly note: string | undefined
}

/** What a transaction says of one thing that was asked for. Addresses and ids are compared without their case. */
const says = (wanted: string | undefined, shown: string | undefined): "agrees" | "contradicts" | "silent" => {
  if (wanted === undefined || shown === undefined) return "silent"
  return wanted.toLowerCase() === shown.toLowerCase() ? "agrees" : "contradicts"
}

const agreement = (wanted: Wanted, shown: Transaction) => ({
  amount:
    shown.amount === undefined ? "silent" : BigDecimal.equals(wanted.amount, shown.amount) ? "agrees" : "contradicts",
  to: says(wanted.to, shown.to),
  note: says(wanted.note, shown.note),
  clientId: says(wanted.clientId, shown.clientId),
  assetId: says(wanted.assetId, shown.assetId),
  networkId: says(wanted.networkId, shown.networkId)
})

/**
 * What a history says of what was asked for. Only another amount or another address rules a transaction out: how the
 * service writes the rest is assumed, and a transaction that is overlooked may be made a second time.
 *
 * @since 0.1.0
 * @category reconciliation
 */
export const reconcile = (wanted: Wanted, history: ReadonlyArray<Transaction>): Reconciliation => {
  const candidates = history
    .map((transaction) => ({ transaction, agreement: agreement(wanted, transaction) }))
    .filter(({ agreement: { amount, to } }) => amount !== "contradicts" && to !== "contradicts")
  // A note of the caller's own tells one from another.
  const noted = candidates.filter((candidate) => candidate.agreement.note === "agrees")
  const [first, ...others] = noted.length > 0 ? noted : candidates
  if (first === undefined) return { _tag: "NotFoundSoFar" }
  const isPlain =
    others.length === 0 &&
    first.agreement.amount === "agrees" &&
    (wanted.to === undefined || first.agreement.to === "agrees") &&
    !Object.values(first.agreement).includes("contradicts")
  if (isPlain) return { _tag: "Found", transaction: first.transaction }
  return {
    _tag: "SeveralCandidates",
    transactions: [first.transaction, ...others.map(({ transaction }) => transaction)]
  }
}
