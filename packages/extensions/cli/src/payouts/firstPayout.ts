/** What a person compares before confirming a first payout. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import type { Payout } from "@effect-custody/ledger/Payout"
import type * as Payouts from "@effect-custody/ledger/Payouts"
import * as Result from "effect/Result"

/** What a person answers. A yes without a look pays all other payouts of the asset in the same way, right or wrong. */
export const question =
  "Does the service show what was ordered, and not only what this program reads? A yes pays every other payout of this asset in the same way"

export interface Shown {
  readonly title: string
  readonly known: Readonly<Record<string, string>>
  readonly request: string
  readonly answer: string
}

/** `true` if no value of a JSON text is the note. A text that cannot be read, such as one that was cut, says nothing. */
const lacksNote = (json: string, note: string): boolean => {
  const texts: Array<string> = []
  const read = Result.try(() => JSON.parse(json, (_, value: unknown) => (texts.push(String(value).trim()), value)))
  return Result.isSuccess(read) && !texts.includes(note.trim())
}

export const show = (
  { answer, assetId, isFinal, reference, request }: Payouts.Confirmation,
  { amount, clientId, note, state, to }: Payout
): Shown => ({
  title: `${reference}, the first payout of ${assetId} with this contract`,
  known: {
    ordered: `${Amount.format(amount)} ${assetId} from ${clientId} to ${to}, note ${note}`,
    compare: `the client, the asset, the recipient, the amount in units of ${assetId}, and the note, in the request and in the transaction`,
    "read as": isFinal ? state : `${state}, and not ended: wait for its end if it is soon`,
    ...(lacksNote(answer ?? "", note) ? { "look:": "the transaction does not show the note" } : {})
  },
  request: request ?? "not kept: its process ended. Look at the service",
  answer: answer ?? ""
})
