/** Checks the transaction by which a person says that a payout was paid: the decision is final. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Effect from "effect/Effect"
import { describe, differences } from "./differences.ts"
import { StepRefused } from "./LedgerError.ts"
import type { Payout } from "./Payout.ts"

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
  if (found.length > 0) return yield* refuse(`${transactionId} is another payment (${describe(found)})`)
})
