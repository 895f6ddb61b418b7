/** Reads the history at the pace that the service allows: what feeds and the follower of payouts share. */
import type * as CustodyClient from "@effect-custody/core/CustodyClient"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

const [firstPause, maxPause] = [250, 60_000]

/** What waits between two pages: nothing, until the service answers 429. */
export interface Pace {
  pause: number
}

export const makePace = (): Pace => ({ pause: 0 })

/** After a 429 the pause doubles, and each page that is read shortens it. */
export const read = <A, E extends { readonly _tag: string }, R>(
  pace: Pace,
  page: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => (pace.pause === 0 ? page : Effect.delay(page, Duration.millis(pace.pause)))).pipe(
    Effect.tap(() =>
      Effect.sync(() => {
        pace.pause = pace.pause < firstPause ? 0 : pace.pause * 0.9
      })
    ),
    Effect.retry({
      while: (error) => {
        if (error._tag !== "RateLimited") return false
        pace.pause = Math.min(Math.max(firstPause, pace.pause * 2), maxPause)
        return true
      }
    })
  )

export const list =
  (pace: Pace) =>
  (
    query: Transactions.ListInput
  ): Effect.Effect<
    Effect.Success<ReturnType<typeof Transactions.list>>,
    Transactions.ListError,
    CustodyClient.CustodyClient
  > =>
    read(pace, Transactions.list(query))
