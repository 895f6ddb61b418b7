import { ServiceContract } from "@effect-custody/contract"
import { Amount, Page } from "@effect-custody/core"
import { Clients, CustodyApi, PaymentOrders, Transactions, Wallets } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Effect, Layer, Stream } from "effect"
import { layerOf, services } from "../../../test/support/servers/dialects/contracts.ts"

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
      return input.note === "refused"
        ? CustodyTest.refuse("transactions.send", { status: 422, fields: { assetId: ["is unknown"] } })
        : Effect.succeed({ id: "41", status: "PENDING", amount: input.amount })
    },
    "transactions.list": (input) => {
      asked.push(input)
      const { limit = 10, page = 1 } = input
      const end = page * limit
      return Effect.succeed(
        CustodyTest.page(rows.slice(end - limit, end), { hasNextPage: end < rows.length, totalItems: rows.length })
      )
    },
    // It does not say whether a page follows.
    "wallets.list": ({ page = 1 }) =>
      Effect.succeed({ items: page > 2 ? [] : [{ id: `w-${page}`, address: "0x1" }], meta: undefined }),
    "clients.get": () => CustodyTest.refuse("clients.get", { status: 404 }),
    "paymentOrders.get": ({ orderId }) => Effect.succeed({ id: orderId, status: "PENDING", amount: Amount.of("99.90") })
  })
  return { asked, stubs }
}

const program = Effect.gen(function* () {
  const sent = yield* Transactions.send(payment)
  const refused = yield* Effect.flip(Transactions.send({ ...payment, note: "refused" }))
  const history = yield* Stream.runCollect(Transactions.stream({ clientId: "alice", limit: 3 }))
  const { items } = yield* Transactions.list({ limit: 2 })
  const wallets = yield* Stream.runCollect(Wallets.stream({ limit: 1 }))
  const nobody = yield* Effect.flip(Clients.get({ externalId: "nobody" }))
  const order = yield* PaymentOrders.get({ orderId: "17" })
  assert(refused._tag === "ValidationFailed")
  return {
    sent: [sent.id, sent.status, sent.amount && BigDecimal.toNumberUnsafe(sent.amount)],
    refused: refused.fields,
    history: history.map(({ amount, id, status }) => [id, status, amount && BigDecimal.toNumberUnsafe(amount)]),
    items: items.map(({ id }) => id),
    wallets: wallets.map(({ id }) => id),
    nobody: nobody._tag,
    order: [order.id, order.status]
  }
})

/** The results of the program and what the stubs were asked, under a contract. */
const under = (contract: Layer.Layer<never>) =>
  Effect.suspend(() => {
    const { asked, stubs } = makeStubs()
    return Effect.map(Effect.provide(program, stubs.pipe(Layer.provide(contract))), (results) => ({ asked, results }))
  })

describe("CustodyTest.stub under a contract", () => {
  it.effect.each(services.map((service) => [service.dialect.name, service] as const))(
    "stubs receive the same inputs and give the same results under the contract of %s",
    ([, service]) =>
      Effect.gen(function* () {
        const { asked, results } = yield* under(Layer.empty)
        const there = yield* under(Layer.orDie(layerOf(service)))
        assert.deepStrictEqual(there.results, results)
        assert.deepStrictEqual(there.asked, asked)
      })
  )

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
