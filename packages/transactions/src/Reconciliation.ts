/**
 * What the history says about a transaction whose outcome is unknown.
 */
import type { Transaction } from "./Transaction.ts"

/**
 * A field in which a transaction differs from the input.
 *
 * @since 0.1.0
 * @category models
 */
export interface Difference {
  readonly field: "amount" | "to" | "toClientId" | "note" | "type" | "clientId" | "assetId" | "networkId" | "createdAt"
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
