/** Checks the transaction by which a person says that a payout was paid: the decision is final. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Comparison from "@effect-custody/transactions/unstable/Comparison"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import { StepRefused } from "../model/LedgerError.ts"
import type { Payout } from "../model/Payout.ts"

const names = { clientId: "client", assetId: "asset", amount: "amount", type: "type" } as const

const isNamed = (field: string): field is keyof typeof names => field in names

/** The client, asset, amount and type in which a transaction differs. What it does not show is unknown. */
export const differences = (
  payout: Pick<Payout, "clientId" | "assetId" | "amount">,
  transaction: Transactions.Transaction
): ReadonlyArray<string> => {
  const { assetId, clientId } = payout
  const { amount } = transaction
  // A service may show a payment as a negative amount.
  const isSame = amount !== undefined && BigDecimal.equals(BigDecimal.abs(amount), payout.amount)
  return Comparison.differences({ clientId, assetId, amount: payout.amount }, transaction).flatMap(
    ({ field, requested, shown }) =>
      shown === undefined || !isNamed(field) || (field === "amount" && isSame)
        ? []
        : [`its ${names[field]} is ${shown}, and not ${requested}`]
  )
}

/** Fails if the service does not have the transaction, or if the transaction differs from the payout. */
export const checkPaid = Effect.fnUntraced(function* (
  payout: Payout,
  transactionId: string
): Effect.fn.Return<void, StepRefused, CustodyClient> {
  const refuse = (why: string) =>
    new StepRefused({
      step: "decide",
      subject: payout.reference,
      reason: `${why}; to decide all the same, skip the check with unchecked (--unchecked)`
    })
  const transaction = yield* Effect.mapError(Transactions.get({ transactionId }), (error) =>
    refuse(
      error._tag === "NotFound"
        ? `the service has no transaction ${transactionId}`
        : `transaction ${transactionId} could not be read (${error.message})`
    )
  )
  const found = differences(payout, transaction)
  if (found.length > 0) return yield* refuse(`${transactionId} is another payment: ${found.join("; ")}`)
})
