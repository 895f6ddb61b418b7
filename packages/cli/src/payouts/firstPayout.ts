/** What a person compares before confirming a first payout. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import type { Payout } from "@effect-custody/ledger/Payout"
import type * as Payouts from "@effect-custody/ledger/Payouts"

export const question = "Does the service show what was ordered, and not only what this program reads?"

export interface Shown {
  readonly title: string
  readonly known: { readonly ordered: string; readonly "read as": string }
  readonly request: string
  readonly answer: string
}

export const show = (
  { answer, assetId, isFinal, reference, request }: Payouts.Confirmation,
  { amount, clientId, state, to }: Payout
): Shown => ({
  title: `${reference}, the first payout of ${assetId} with this contract`,
  known: {
    ordered: `${Amount.format(amount)} ${assetId} from ${clientId} to ${to}`,
    "read as": isFinal ? state : `${state}, and not ended: wait for its end if it is soon`
  },
  request: request ?? "not kept: its process ended. Look at the service",
  answer: answer ?? ""
})
