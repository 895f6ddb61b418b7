/** Looks for undecided payouts again: a history may show a payment after a person was asked about it. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { RequestInvalid } from "@effect-custody/core/SdkError"
import type * as Transactions from "@effect-custody/transactions/Transactions"
import * as Effect from "effect/Effect"
import { takeTurn } from "../database/leases.ts"
import type { RowError } from "../database/rows.ts"
import { findInHistory, stepsOf } from "../history/searchPayouts.ts"
import * as Followed from "../payouts/followed.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { takeSteps } from "../payouts/writeState.ts"
import * as Waiting from "./waiting.ts"

/** How often a worker asks whether it is its turn, in milliseconds. */
export const lookAgainEvery = 60_000

/** How often the workers of a ledger look together, in milliseconds. */
const every = 3_600_000

/** The maximum number of payouts that one look is about. */
const maxPayouts = 200

/** Looks once, if it is this worker's turn. */
export const lookAgain = Effect.fnUntraced(function* (
  ledger: Ledger
): Effect.fn.Return<void, Transactions.StreamError | RequestInvalid | RowError, CustodyClient> {
  const { database } = ledger
  if (!(yield* takeTurn(database, "look again", every))) return
  const payouts = yield* Followed.findUndecided(database, maxPayouts)
  if (payouts.length === 0) return
  yield* takeSteps(ledger, stepsOf(payouts, yield* findInHistory(ledger, payouts)))
  yield* Waiting.putLast(
    database,
    payouts.map(({ reference }) => reference)
  )
})
