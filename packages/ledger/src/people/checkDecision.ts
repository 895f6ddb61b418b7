/** Looks at the service before a person's decision: the decision is final, and the history may have caught up. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { Candidate } from "@effect-custody/transactions/Reconciliation"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Comparison from "@effect-custody/transactions/Comparison"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import * as Condition from "../database/conditions.ts"
import { reporting } from "../database/database.ts"
import { likelyOf } from "../history/historyOutcome.ts"
import { findCandidates, findInHistory, type Found, stepsOf } from "../history/searchPayouts.ts"
import * as Followed from "../payouts/followed.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { LedgerError, StepRefused } from "../payouts/LedgerError.ts"
import type { Target } from "./steps.ts"
import * as Read from "../payouts/read.ts"
import { takeSteps } from "../payouts/writeState.ts"

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
  payouts: ReadonlyArray<Followed.Followed>,
  found: Found
): Effect.fn.Return<string | undefined, SqlError> {
  const { candidates, owners } = yield* findCandidates(database, found)
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
  const lookFor = (payouts: ReadonlyArray<Followed.Followed>) =>
    findInHistory(ledger, payouts).pipe(
      reporting("decide"),
      Effect.mapError((error) =>
        isLedgerError(error) ? error : refuse(`the history could not be read (${error.message}); ${insist}`)
      )
    )
  const { database } = ledger
  const { sql } = database
  const of = Followed.ofTarget(database, target)
  const [one] = yield* reporting("decide")(
    Followed.findFollowed(database, sql`${sql.literal(Condition.stopped)} AND state = 'mismatched' AND ${of} LIMIT 1`)
  )
  if (one !== undefined) {
    const { reference, transactionId } = one
    return yield* refuse(
      `the service shows ${reference} as transaction ${transactionId}; if that is another payment, use unchecked (--unchecked)`
    )
  }
  for (let after: string | undefined = ""; after !== undefined;) {
    const payouts: ReadonlyArray<Followed.Followed> = yield* reporting("decide")(
      Followed.findFollowed(
        database,
        sql`state = 'undecided' AND attempt > 0 AND reference > ${after} AND ${of} ORDER BY reference LIMIT ${chunk}`
      )
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

/** Fails if the service does not have the transaction by which a payout was paid, or if it differs from the payout. */
export const checkPaid = Effect.fnUntraced(function* (
  { database }: Ledger,
  target: Target,
  transactionId: string
): Effect.fn.Return<void, StepRefused | LedgerError, CustodyClient> {
  const refuse = (reason: string) => new StepRefused({ step: "decide", subject: subjectOf(target), reason })
  if (typeof target !== "string") return yield* refuse("a transaction pays one payout: give its reference")
  const payout = yield* reporting("read")(Read.get(database, target))
  // The step itself refuses what the ledger does not have.
  if (Option.isNone(payout)) return
  const skip = "to decide all the same, skip the check with unchecked (--unchecked)"
  const transaction = yield* Effect.mapError(Transactions.get({ transactionId }), (error) =>
    refuse(
      error._tag === "NotFound"
        ? `the service has no transaction ${transactionId}; ${skip}`
        : `transaction ${transactionId} could not be read (${error.message}); ${skip}`
    )
  )
  const found = Comparison.contradictions(Followed.inputOf(payout.value), transaction)
  if (found.length > 0)
    return yield* refuse(`${transactionId} is another payment (${Comparison.describe(found)}); ${skip}`)
})
