import { ServiceContract } from "@effect-custody/contract"
import { Amount, Page } from "@effect-custody/core"
import { CustodyApi, Transactions } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const to = "0x52908400098527886E0F7030069857D2E4169EE7"
const payment = { clientId: "alice", assetId: "usdc", to, amount: Amount.of("12.50"), note: "invoice 7" } as const

const rows = Array.from({ length: 7 }, (_, at) => ({
  id: String(at + 1),
  status: "COMPLETED",
  amount: Amount.of("1.5")
}))

/** What the stubs were asked. */
const makeStubs = () => {
  const asked: Array<unknown> = []
  const stubs = CustodyTest.stub({
    "transactions.send": (input) => {
      asked.push(input)
      return Effect.succeed({ id: "41", status: "PENDING", amount: input.amount })
    },
    "transactions.list": (input) => {
      asked.push(input)
      const { limit = 10, page = 1 } = input
      const end = page * limit
      return Effect.succeed(
        CustodyTest.page(rows.slice(end - limit, end), { hasNextPage: end < rows.length, totalItems: rows.length })
      )
    },
    "paymentOrders.get": ({ orderId }) => Effect.succeed({ id: orderId, status: "PENDING", amount: Amount.of("99.90") })
  })
  return { asked, stubs }
}

describe("CustodyTest.stub under a contract", () => {
  const contractOf = (contract: ServiceContract.ContractOf<typeof CustodyApi>) =>
    Layer.orDie(ServiceContract.layer(contract, CustodyApi))

  it.effect("a call fails before its stub if the contract cannot send the input", () =>
    Effect.gen(function* () {
      const { asked, stubs } = makeStubs()
      const error = yield* Transactions.send({ ...payment, amount: Amount.of("12.505") }).pipe(
        Effect.flip,
        Effect.provide(stubs.pipe(Layer.provide(contractOf({ defaults: { amounts: { minor: 2 } } }))))
      )
      assert(error._tag === "RequestInvalid")
      assert.deepStrictEqual(
        error.issues.map(({ path }) => path),
        [["amount"]]
      )
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("a stub receives the page number of a cursor", () =>
    Effect.gen(function* () {
      const { asked, stubs } = makeStubs()
      const cursors = contractOf({ defaults: { paging: { style: "cursor", next: "next" } } })
      yield* Effect.gen(function* () {
        const { nextCursor } = yield* Transactions.list({ limit: 3 })
        yield* Page.after(Transactions.list({ limit: 3 }), nextCursor!)
        const second = yield* Effect.flip(Transactions.list({ page: 2, limit: 3 }))
        assert.strictEqual(second._tag, "RequestInvalid")
      }).pipe(Effect.provide(stubs.pipe(Layer.provide(cursors))))
      assert.deepStrictEqual(asked, [{ limit: 3 }, { limit: 3, page: 2 }])
    })
  )
})
