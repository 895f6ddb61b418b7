/** Looks for undecided payouts again: a history may show a payment after a person was asked about it. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { RequestInvalid } from "@effect-custody/core/SdkError"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as HistorySearch from "@effect-custody/transactions/unstable/HistorySearch"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import * as Follow from "../database/follow.ts"
import type { Move } from "../database/settle.ts"
import * as Pace from "../history/pace.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { takeSteps } from "./metrics.ts"
import { inputOf } from "./sendInput.ts"

/** How often a worker asks whether it is its turn, in milliseconds. */
export const lookAgainEvery = 60_000

/** How often the workers of a ledger look together, in milliseconds. */
const every = 3_600_000

/** The maximum number of payouts that one look is about. */
const maxPayouts = 200

/** What a search says of each payout. */
export type Found = Effect.Success<ReturnType<typeof HistorySearch.findEach>>

/** Searches the history for payouts from their first attempts on. */
export const findInHistory = Effect.fnUntraced(function* (
  { database, settings }: Ledger,
  payouts: ReadonlyArray<Follow.Followed>
): Effect.fn.Return<Found, Transactions.ListError | RequestInvalid | SqlError, CustodyClient> {
  const claims = yield* Follow.findFirstClaims(
    database,
    payouts.map(({ reference }) => reference)
  )
  const list = { endpoint: Transactions.list, read: Pace.list(Pace.makePace()) }
  const payments = payouts.map((payout) => ({
    wanted: inputOf(payout),
    since: DateTime.makeUnsafe(claims.get(payout.reference) ?? payout.intentAt)
  }))
  return yield* HistorySearch.findEach(list, payments, { window: Duration.millis(settings.window) })
})

/** The steps of the payouts that the history shows. */
export const stepsOf = (payouts: ReadonlyArray<Follow.Followed>, found: Found): ReadonlyArray<Move> =>
  payouts.flatMap(({ attempt, reference }, at): ReadonlyArray<Move> => {
    const result = Result.getOrUndefined(found[at]!)
    return result?._tag === "Found" ? [{ reference, attempt, step: "found", transactionId: result.transaction.id }] : []
  })

/** Looks once, if it is this worker's turn. */
export const lookAgain = Effect.fnUntraced(function* (
  ledger: Ledger
): Effect.fn.Return<void, Transactions.StreamError | RequestInvalid | SqlError, CustodyClient> {
  const { database } = ledger
  if (!(yield* Follow.takeTurn(database, "look again", every))) return
  const payouts = yield* Follow.findUndecided(database, maxPayouts)
  if (payouts.length === 0) return
  yield* takeSteps(ledger, stepsOf(payouts, yield* findInHistory(ledger, payouts)))
  yield* Follow.putLast(
    database,
    payouts.map(({ reference }) => reference)
  )
})
