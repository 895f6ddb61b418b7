/** Reads the service's history forwards. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Page from "@effect-custody/core/Page"
import type { Transaction } from "@effect-custody/transactions/Transaction"
import type * as Transactions from "@effect-custody/transactions/Transactions"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Reads a page of the history. */
export type List = (
  query: Transactions.ListInput
) => Effect.Effect<Effect.Success<ReturnType<typeof Transactions.list>>, Transactions.ListError, CustodyClient>

/**
 * Reads the history since a time in milliseconds, page by page, oldest first. No rows since that time prove nothing, because
 * the service may understand the time in a different way: then reads the whole history.
 */
export const readForward = Effect.fnUntraced(function* <E, R>(
  list: List,
  from: number,
  onPage: (rows: ReadonlyArray<Transaction>) => Effect.Effect<void, E, R>
): Effect.fn.Return<void, Transactions.StreamError | E, CustodyClient | R> {
  let count = 0
  const read = (query: Transactions.ListInput) =>
    Page.pages(list, { order: "asc", limit: 100, ...query }).pipe(
      Stream.runForEach(({ items }) => {
        count += items.length
        return items.length === 0 ? Effect.void : onPage(items)
      })
    )
  if (from > 0) yield* read({ from: DateTime.makeUnsafe(from) })
  if (count === 0) yield* read({})
})
