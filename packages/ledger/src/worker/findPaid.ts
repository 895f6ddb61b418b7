/** Looks once more for what a person is about to call not paid: the history may have caught up. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { reporting } from "../database/database.ts"
import * as Follow from "../database/follow.ts"
import type { Target } from "../database/people.ts"
import type { Move } from "../database/settle.ts"
import { LedgerError, StepRefused } from "../model/LedgerError.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { findInHistory } from "./lookAgain.ts"
import { takeSteps } from "./metrics.ts"

/** The maximum number of payouts that one search is about. */
const chunk = 1_000

const subjectOf = (target: Target): string => (typeof target === "string" ? target : target.batch)

const isLedgerError = Schema.is(LedgerError)

/**
 * Finds the undecided payouts of a target in the history, from their first attempts on. Those that it shows are accepted.
 * Fails if it shows the payout that the decision is about, and if the history cannot be read.
 */
export const findPaid = Effect.fnUntraced(function* (
  ledger: Ledger,
  target: Target
): Effect.fn.Return<void, StepRefused | LedgerError, CustodyClient> {
  const refuse = (reason: string) => new StepRefused({ step: "decide", subject: subjectOf(target), reason })
  const lookFor = (payouts: ReadonlyArray<Follow.Followed>) =>
    findInHistory(ledger, payouts).pipe(
      reporting("decide"),
      Effect.mapError((error) =>
        isLedgerError(error)
          ? error
          : refuse(
              `the history could not be read (${error.message}); to decide all the same, use unchecked (--unchecked)`
            )
      )
    )
  const mismatched = yield* reporting("decide")(Follow.findMismatched(ledger.database, target))
  const [one] = mismatched
  if (one !== undefined) {
    const { reference, transactionId } = one
    return yield* refuse(
      `the service shows ${reference} as transaction ${transactionId}; if that is another payment, use unchecked (--unchecked)`
    )
  }
  for (let after: string | undefined = ""; after !== undefined;) {
    const payouts: ReadonlyArray<Follow.Followed> = yield* reporting("decide")(
      Follow.findSentUndecided(ledger.database, target, after, chunk)
    )
    const found: ReadonlyArray<Move> = yield* lookFor(payouts)
    yield* reporting("decide")(takeSteps(ledger, found))
    const [first] = found
    if (typeof target === "string" && first !== undefined) {
      return yield* refuse(`the history shows it: transaction ${first.transactionId}`)
    }
    after = payouts.at(-1)?.reference
  }
})
