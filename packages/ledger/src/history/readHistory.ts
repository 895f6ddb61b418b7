/** Reads the service's history, in an order if the service sorts. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Page from "@effect-custody/core/Page"
import { ClientKnowledge } from "@effect-custody/core/ClientKnowledge"
import type { Transaction } from "@effect-custody/transactions"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as Stream from "effect/Stream"

/** Reads a page of the history. */
export type List = (
  query: Transactions.ListInput
) => Effect.Effect<Effect.Success<ReturnType<typeof Transactions.list>>, Transactions.ListError, CustodyClient>

type Order = NonNullable<Transactions.ListInput["order"]>

/** The fields of the history's query that the contract does not send: without them, it is read as the service gives it. */
const omitted = ClientKnowledge.use(({ factsOf }) => Effect.map(factsOf(Transactions.list), ({ omits }) => omits))

/** `false` if the contract says that the service does not sort the history. */
export const isSorted = Effect.map(omitted, (names) => !names.includes("order"))

const read =
  (order: Order) =>
  <E, R>(
    list: List,
    from: number,
    onPage: (rows: ReadonlyArray<Transaction>) => Effect.Effect<boolean, E, R>
  ): Effect.Effect<void, Transactions.StreamError | E, CustodyClient | R> =>
    Effect.gen(function* () {
      let count = 0
      const names = yield* omitted
      const always = Struct.omit({ order, limit: 100 } as Record<string, unknown>, names)
      const pages = (query: Transactions.ListInput) =>
        Page.pages(list, { ...always, ...query }).pipe(
          Stream.mapEffect(({ items }) => {
            count += items.length
            return items.length === 0 ? Effect.succeed(true) : onPage(items)
          }),
          Stream.takeUntil((goesOn) => !goesOn),
          Stream.runDrain
        )
      if (from > 0 && !names.includes("from")) yield* pages({ from: DateTime.makeUnsafe(from) })
      if (count === 0) yield* pages({})
    })

/**
 * Reads the history since a time in milliseconds, page by page, oldest first if the service sorts. No rows since that time prove nothing, because
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
 * others to a later page, so the read misses none, also in the order of the service.
 */
export const readBackward = read("desc")
