/** Where a payout whose outcome is unknown goes to a person: the history should show it by now, and does not. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { RequestInvalid } from "@effect-custody/core/SdkError"
import type * as Transactions from "@effect-custody/transactions/Transactions"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import type { RowError } from "../database/rows.ts"
import { stepAfterSearch } from "../history/historyOutcome.ts"
import * as Pace from "../history/pace.ts"
import { findCandidates, search } from "../history/searchPayouts.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { type Move, takeSteps } from "../payouts/writeState.ts"
import * as Waiting from "./waiting.ts"

/** The maximum number of payouts that one search is about. */
const maxSearched = 200

/**
 * Searches the whole history, once for all, for payouts that should have appeared by now. What it does not show becomes
 * undecided.
 */
export const handToPerson = Effect.fnUntraced(function* (
  ledger: Ledger,
  pace: Pace.Pace,
  keepLease: Effect.Effect<unknown, SqlError>,
  began: number
): Effect.fn.Return<void, Transactions.ListError | RequestInvalid | RowError, CustodyClient> {
  const { database, settings } = ledger
  const payouts = yield* Waiting.findOverdue(database, began, settings.undecidedAfter, maxSearched)
  if (payouts.length === 0) return
  const results = yield* search(ledger, payouts, (query) =>
    Effect.tap(Pace.list(pace)(query), Effect.ignore(keepLease))
  )
  const { owners } = yield* findCandidates(database, results)
  const moves = payouts.map(({ attempt, reference }, at): Move => {
    const isTaken = (id: string) => owners.has(id) && owners.get(id) !== reference
    const found = Result.match(results[at]!, {
      onSuccess: (found) => stepAfterSearch(found, isTaken),
      onFailure: ({ message }) => ({ step: "missing" as const, detail: message })
    })
    return { reference, attempt, ...found }
  })
  yield* takeSteps(ledger, moves)
})
