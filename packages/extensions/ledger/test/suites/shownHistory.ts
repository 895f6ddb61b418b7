/** A history of transactions that a test writes, and the client that reads it. */
import * as Amount from "@effect-custody/core/Amount"
import * as CustodyTest from "@effect-custody/testing/CustodyTest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"

export interface Entry {
  readonly id: string
  status: string
  readonly type: string
  readonly clientId: string
  readonly assetId: string
  amount: Amount.Amount
  readonly to?: string
  readonly note?: string
  readonly createdAt: DateTime.Utc
}

const limit = 100

/**
 * A service that shows these entries. `showsNothingByTime` is one whose filter by time finds nothing. It shows `unlisted`
 * entries only one by one.
 */
export const makeHistory = () => {
  const entries: Array<Entry> = []
  const state = { showsNothingByTime: false, lists: 0, gets: 0, refusals: 0, unlisted: new Set<string>() }
  const find = (from: DateTime.Utc | undefined) =>
    entries
      .filter(({ createdAt }) => from === undefined || DateTime.isGreaterThanOrEqualTo(createdAt, from))
      .filter(({ id }) => (from === undefined || !state.showsNothingByTime) && !state.unlisted.has(id))
      .toSorted((a, b) => DateTime.Order(a.createdAt, b.createdAt))
  const client = CustodyTest.stub({
    "transactions.list": ({ from, page = 1 }) =>
      Effect.suspend(() => {
        state.lists++
        if (state.refusals-- > 0) return CustodyTest.refuse("transactions.list", { status: 429 })
        const found = find(from)
        const items = found.slice((page - 1) * limit, page * limit)
        return Effect.succeed(CustodyTest.page(items, { hasNextPage: page * limit < found.length }))
      }),
    "transactions.get": ({ transactionId }) =>
      Effect.suspend(() => {
        state.gets++
        const found = entries.find(({ id }) => id === transactionId)
        return found === undefined ? CustodyTest.refuse("transactions.get", { status: 404 }) : Effect.succeed(found)
      })
  })
  const add = (id: string, createdAt: DateTime.Utc, more: Partial<Entry> = {}): Entry => {
    const entry: Entry = {
      id,
      status: "COMPLETED",
      type: "INCOMING",
      clientId: "alice",
      assetId: "usdc",
      amount: Amount.of("1"),
      createdAt,
      ...more
    }
    entries.push(entry)
    return entry
  }
  return { add, client, state, entries }
}
