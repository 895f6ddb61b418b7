/** Whether a transaction can be the payment that a person names: what is decided cannot be taken back. */
import * as Amount from "@effect-custody/core/Amount"
import { normalize } from "@effect-custody/core/unstable/Text"
import type { Payout } from "@effect-custody/ledger/Payout"
import { Transactions } from "@effect-custody/sdk"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Output from "../terminal/output.ts"

interface Shown {
  readonly clientId?: string
  readonly assetId?: string
  readonly amount?: Amount.Amount
}

/** The client, the asset and the amount in which a transaction differs from a payout. What it does not show is unknown. */
export const differences = (
  payout: Pick<Payout, "clientId" | "assetId" | "amount">,
  { amount, assetId, clientId }: Shown
): ReadonlyArray<string> => {
  const compare = (name: string, theirs: string | undefined, ours: string) =>
    theirs === undefined || normalize(theirs) === normalize(ours) ? [] : [`its ${name} is ${theirs}, and not ${ours}`]
  // A service may show a payment as a negative amount.
  const isSame = amount === undefined || BigDecimal.equals(BigDecimal.abs(amount), payout.amount)
  return [
    ...compare("client", clientId, payout.clientId),
    ...compare("asset", assetId, payout.assetId),
    ...(isSame ? [] : compare("amount", Amount.format(amount), Amount.format(payout.amount)))
  ]
}

const insist = "To decide all the same, give --unchecked"

/** Fails unless the service has the transaction, with the payout's client, asset and amount. */
export const checkPaid = Effect.fnUntraced(function* (
  payout: Payout,
  transactionId: string,
  contract: Option.Option<string>
) {
  const refuse = (why: string) => Output.failure(`${why}: nothing was decided. ${insist}`)
  const transaction = yield* Transactions.get({ transactionId }).pipe(
    Effect.provide(Client.under(ContractFiles.layer(contract))),
    Effect.mapError((error) =>
      refuse(
        "_tag" in error && error._tag === "NotFound"
          ? `the service has no transaction ${transactionId}`
          : `transaction ${transactionId} could not be read (${error.message})`
      )
    )
  )
  const found = differences(payout, transaction)
  if (found.length > 0) {
    return yield* refuse(`${transactionId} is not the payment of ${payout.reference}: ${found.join("; ")}`)
  }
})
