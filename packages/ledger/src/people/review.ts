/** What a second person approves, and who is another person. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import * as CanonicalJson from "@effect-custody/core/CanonicalJson"
import type { Payout } from "../payouts/Payout.ts"

/**
 * The held payouts of a batch, as a person sees them before the approval.
 *
 * @since 0.1.0
 * @category models
 */
export interface Review {
  readonly batch: string
  /** The fingerprint of these payouts: another payout, another order or one payout fewer has another. */
  readonly digest: string
  /** In the order of their references. */
  readonly payouts: ReadonlyArray<Payout>
}

const digestOf = (payouts: ReadonlyArray<Payout>): string =>
  CanonicalJson.hash(
    payouts.map(({ amount, assetId, clientId, networkId, note, reference, to }) => [
      reference,
      clientId,
      assetId,
      networkId,
      to,
      Amount.format(amount),
      note
    ])
  )

/** Sorts here, because databases order texts in ways of their own. */
export const makeReview = (batch: string, held: ReadonlyArray<Payout>): Review => {
  const payouts = held.toSorted((a, b) => (a.reference < b.reference ? -1 : 1))
  return { batch, digest: digestOf(payouts), payouts }
}

/** A name without what a reader does not see: letter case, forms of one letter, white space and invisible characters. */
const foldName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    // Both, because only the upper case of `ß` is `SS`.
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(/\s+/gu, " ")
    .trim()

export const isSameName = (one: string, other: string): boolean => foldName(one) === foldName(other)

/** Why a person may not approve these payouts. */
export const refuseApproval = (
  { digest, payouts }: Review,
  { by, digest: seen }: { readonly by: string; readonly digest: string }
): string | undefined => {
  const own = payouts.find(({ submittedBy }) => isSameName(submittedBy, by))
  if (own !== undefined) return `${own.submittedBy} has submitted it`
  return digest === seen ? undefined : "it has changed since it was reviewed: review it again"
}
