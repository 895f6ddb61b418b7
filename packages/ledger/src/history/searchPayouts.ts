/** Searches the history for payouts that it should show by now. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { RequestInvalid } from "@effect-custody/core/SdkError"
import * as HistorySearch from "@effect-custody/transactions/HistorySearch"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Database } from "../database/database.ts"
import type { RowError } from "../database/rows.ts"
import * as Followed from "../payouts/followed.ts"
import type { Ledger } from "../payouts/ledger.ts"
import type { Move } from "../payouts/writeState.ts"
import * as Pace from "./pace.ts"

/** What a search says of each payout. */
export type Found = Effect.Success<ReturnType<typeof HistorySearch.findEach>>

/** Searches the history for payouts, since the times of `claims` or their last intents. */
export const search = (
  { settings }: Ledger,
  payouts: ReadonlyArray<Followed.Followed>,
  read: HistorySearch.List["read"],
  claims: ReadonlyMap<string, number> = new Map()
) =>
  HistorySearch.findEach(
    { endpoint: Transactions.list, read },
    payouts.map((payout) => ({
      wanted: Followed.inputOf(payout),
      since: DateTime.makeUnsafe(claims.get(payout.reference) ?? payout.intentAt ?? 0)
    })),
    { window: Duration.millis(settings.window) }
  )

/** Searches the history for payouts from their first attempts on. */
export const findInHistory = Effect.fnUntraced(function* (
  ledger: Ledger,
  payouts: ReadonlyArray<Followed.Followed>
): Effect.fn.Return<Found, Transactions.ListError | RequestInvalid | RowError, CustodyClient> {
  const references = payouts.map(({ reference }) => reference)
  const claims = yield* Followed.findFirstClaims(ledger.database, references)
  return yield* search(ledger, payouts, Pace.list(Pace.makePace()), claims)
})

/** The candidates of each payout, and whose transactions they are. */
export const findCandidates = Effect.fnUntraced(function* (database: Database, found: Found) {
  const candidates = found.map((result) =>
    Result.isSuccess(result) && result.success._tag === "SeveralCandidates" ? result.success.candidates : []
  )
  const ids = new Set(candidates.flat().map(({ transaction }) => transaction.id as string))
  return { candidates, owners: yield* Followed.findOwners(database, [...ids]) }
})

/** The steps of the payouts that the history shows. */
export const stepsOf = (payouts: ReadonlyArray<Followed.Followed>, found: Found): ReadonlyArray<Move> =>
  payouts.flatMap(({ attempt, reference }, at): ReadonlyArray<Move> => {
    const result = Result.getOrUndefined(found[at]!)
    return result?._tag === "Found" ? [{ reference, attempt, step: "found", transactionId: result.transaction.id }] : []
  })
