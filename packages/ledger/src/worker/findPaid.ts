/** Looks once more for what a person is about to call not paid: the history may have caught up. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { Candidate } from "@effect-custody/transactions/Reconciliation"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { reporting } from "../database/database.ts"
import * as Follow from "../database/follow.ts"
import type { Target } from "../database/people.ts"
import { LedgerError, StepRefused } from "../model/LedgerError.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { likelyOf } from "../model/historyOutcome.ts"
import { findInHistory, type Found, stepsOf } from "./lookAgain.ts"
import { takeSteps } from "./metrics.ts"

/** The maximum number of payouts that one search is about. */
const chunk = 1_000

const subjectOf = (target: Target): string => (typeof target === "string" ? target : target.batch)

const isLedgerError = Schema.is(LedgerError)

const insist = "to decide all the same, use unchecked (--unchecked)"

/** `true` if the evidence of a payout names a transaction. */
const names = (evidence: string | null, id: string): boolean =>
  evidence?.split(/[\s,]+/).some((word) => word === id || word === `${id}.`) === true

/** `true` if a candidate differs from the payout in nothing that it shows, but its note. */
const isEqual = ({ differences }: Candidate): boolean =>
  differences.every(({ field, shown }) => field === "note" || shown === undefined)

/** Why a search does not let a person call one of some payouts not paid; `undefined` if it does. */
const whyNot = Effect.fnUntraced(function* (
  { database }: Ledger,
  payouts: ReadonlyArray<Follow.Followed>,
  found: Found
): Effect.fn.Return<string | undefined, SqlError> {
  const candidates = found.map((result) =>
    Result.isSuccess(result) && result.success._tag === "SeveralCandidates" ? result.success.candidates : []
  )
  const owners = yield* Follow.findOwners(database, [
    ...new Set(candidates.flat().map(({ transaction }) => transaction.id as string))
  ])
  for (const [at, { detail, reference }] of payouts.entries()) {
    const result = found[at]!
    if (Result.isFailure(result))
      return `the history does not say whether it has ${reference} (${result.failure.message})`
    const likely = likelyOf(candidates[at]!, (id) => owners.has(id) && owners.get(id) !== reference)
    const added = likely
      .filter(isEqual)
      .map(({ transaction }) => transaction.id)
      .filter((id) => !names(detail, id))
    if (added.length > 0)
      return `the history shows what may be ${reference}, and its evidence does not name: ${added.join(", ")}`
  }
  return undefined
})

/**
 * Finds the undecided payouts of a target in the history, from their first attempts on. Those that it shows are accepted.
 * Fails if it shows the payout that the decision is about; if it shows a transaction that may be one of the payouts, and
 * that the evidence of the payout does not name; and if the history cannot be read.
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
        isLedgerError(error) ? error : refuse(`the history could not be read (${error.message}); ${insist}`)
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
    const found: Found = yield* lookFor(payouts)
    const steps = stepsOf(payouts, found)
    yield* reporting("decide")(takeSteps(ledger, steps))
    const [first] = steps
    if (typeof target === "string" && first !== undefined) {
      return yield* refuse(`the history shows it: transaction ${first.transactionId}`)
    }
    const why: string | undefined = yield* reporting("decide")(whyNot(ledger, payouts, found))
    if (why !== undefined) return yield* refuse(`${why}; ${insist}`)
    after = payouts.at(-1)?.reference
  }
})
