/** Reads the service's history forwards. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Page from "@effect-custody/core/Page"
import type { Transaction } from "@effect-custody/transactions"
import type * as Transactions from "@effect-custody/transactions/Transactions"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Reads a page of the history. */
export type List = (
  query: Transactions.ListInput
) => Effect.Effect<Effect.Success<ReturnType<typeof Transactions.list>>, Transactions.ListError, CustodyClient>

type Order = NonNullable<Transactions.ListInput["order"]>

const read =
  (order: Order) =>
  <E, R>(
    list: List,
    from: number,
    onPage: (rows: ReadonlyArray<Transaction>) => Effect.Effect<boolean, E, R>
  ): Effect.Effect<void, Transactions.StreamError | E, CustodyClient | R> =>
    Effect.gen(function* () {
      let count = 0
      const pages = (query: Transactions.ListInput) =>
        Page.pages(list, { order, limit: 100, ...query }).pipe(
          Stream.mapEffect(({ items }) => {
            count += items.length
            return items.length === 0 ? Effect.succeed(true) : onPage(items)
          }),
          Stream.takeUntil((goesOn) => !goesOn),
          Stream.runDrain
        )
      if (from > 0) yield* pages({ from: DateTime.makeUnsafe(from) })
      if (count === 0) yield* pages({})
    })

/**
 * Reads the history since a time in milliseconds, page by page, oldest first. No rows since that time prove nothing, because
 * the service may understand the time in a different way: then reads the whole history.
 */
export const readForward = <E, R>(
  list: List,
  from: number,
  onPage: (rows: ReadonlyArray<Transaction>) => Effect.Effect<void, E, R>
): Effect.Effect<void, Transactions.StreamError | E, CustodyClient | R> =>
  read("asc")(list, from, (rows) => Effect.as(onPage(rows), true))

/**
 * Reads the history as {@link readForward} does, but newest first, and ends when `onPage` returns `false`. A new row moves
 * others to a later page, so the read misses none.
 */
export const readBackward = read("desc")
