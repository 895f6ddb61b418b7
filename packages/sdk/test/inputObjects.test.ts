/** An input is an object of any kind: every field that it has is sent, and none that it does not have. */
import { Amount, type CustodyClient, Endpoint } from "@effect-custody/core"
import * as Operation from "@effect-custody/core/siblings/Operation"
import { Clients, FiatGateway, PaymentOrders, Tokens, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { requestOf } from "../../../test/support/clients/reportsApi.ts"
import { layer, sent } from "../../../test/support/clients/scriptedTransport.ts"

/** The JSON that a call sends. */
const bodyOf = <A, E>(call: Effect.Effect<A, E, CustodyClient>) =>
  Effect.map(requestOf(call), ({ body }): unknown => JSON.parse(body))

/** What is wrong with the input of a call. */
const issuesOf = <A, E>(call: Effect.Effect<A, E, CustodyClient>) =>
  Effect.map(Effect.flip(call), (error: unknown) => (error as { readonly issues?: object }).issues)

const missing = <A>(): A => undefined as A

describe("the fields of an input", () => {
  it.effect("an input may have fields of its class: a refund with a getter refunds that amount, not everything", () =>
    Effect.gen(function* () {
      class Base {
        get amount() {
          return Amount.of("5")
        }
      }
      class Request extends Base {
        readonly transactionId = "t-1"
        describe(): string {
          return "a refund"
        }
      }
      assert.deepStrictEqual(yield* bodyOf(FiatGateway.refund(new Request())), { amount: "5" })
    })
  )

  it.effect("an amount of another type is refused, and the error says how to make one", () =>
    Effect.gen(function* () {
      for (const amount of ["12.5", 12.5, { value: 1n, scale: 0 }]) {
        const [issue] = (yield* issuesOf(PaymentOrders.create({ amount, currency: "EUR" } as never))) as ReadonlyArray<{
          readonly message: string
        }>
        assert.include(issue?.message, 'Amount.of("12.50")')
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("the fields that every object has are no fields of an input", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => Object.assign(Object.prototype, { reason: "polluted" })),
      () =>
        Effect.map(bodyOf(FiatGateway.refund({ transactionId: "t-1" })), (body) =>
          assert.deepStrictEqual(Object.keys(body as object), [])
        ),
      () => Effect.sync(() => Reflect.deleteProperty(Object.prototype, "reason"))
    )
  )

  it.effect("a field of an input may be undefined, unless that changes what is moved", () =>
    Effect.gen(function* () {
      const message = "is undefined. Leave the field out if no value is meant: that changes what is moved"
      const amount = Amount.of("1")
      const calls: ReadonlyArray<readonly [field: string, call: Effect.Effect<unknown, unknown, CustodyClient>]> = [
        ["amount", FiatGateway.refund({ transactionId: "t-1", amount: missing() })],
        ["currency", PaymentOrders.create({ amount, currency: missing() })],
        ["networkId", Transactions.send({ clientId: "a", assetId: "usdc", to: "0x1", amount, networkId: missing() })],
        ["fromWalletId", Tokens.burn({ tokenId: "t", amount, fromWalletId: missing() })],
        ["toWalletId", Tokens.mint({ tokenId: "t", amount, toWalletId: missing() })],
        ["networkId", PaymentOrders.selectAsset({ orderId: "o", assetId: "usdc", networkId: missing() })]
      ]
      for (const [field, call] of calls) {
        assert.deepStrictEqual<unknown>(yield* issuesOf(call), [{ path: [field], message }])
      }
      assert.lengthOf(yield* sent, 0)
      assert.deepStrictEqual(yield* bodyOf(FiatGateway.refund({ transactionId: "t-1", reason: missing() })), {})
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a field of an input that names something must not be blank", () =>
    Effect.gen(function* () {
      const amount = Amount.of("99.90")
      const payout = { clientId: "alice", assetId: "usdc", to: "0x1", amount }
      for (const blank of ["", " ", "\t\n"]) {
        const issues = yield* Effect.all([
          issuesOf(PaymentOrders.create({ amount, currency: blank })),
          issuesOf(Transactions.send({ ...payout, to: blank })),
          issuesOf(Transactions.send({ ...payout, clientId: blank })),
          issuesOf(FiatGateway.createPaymentLink({ clientId: "alice", amount, currency: blank }))
        ])
        for (const issue of issues) assert.deepInclude(JSON.stringify(issue), "should not be empty")
      }
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a list in the query repeats its key", () =>
    Effect.gen(function* () {
      const find = Endpoint.read("labels.find", {
        route: "GET /labels",
        query: { ids: Schema.Array(Schema.String) },
        success: Schema.Unknown
      })
      const { url } = yield* requestOf(find({ ids: ["eth", "b&c"] }))
      assert.strictEqual(url.split("?")[1], "ids=eth&ids=b%26c")
    }).pipe(Effect.provide(layer()))
  )
})

describe("an input that cannot be read", () => {
  const thrown = (): never => {
    throw new Error("of a getter")
  }
  const order = { amount: Amount.of("99.90"), currency: "EUR" }
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable<object>({}, {})
    revoke()
    return proxy
  }

  it.effect.each([
    ["a getter", Object.defineProperty({ ...order }, "currency", { enumerable: true, get: thrown }), ["currency"]],
    ["a revoked proxy", revoked(), []],
    ["a revoked proxy in a field", { ...order, currency: revoked() }, ["currency"]]
  ] as ReadonlyArray<readonly [string, typeof order, ReadonlyArray<string>]>)(
    "an input with %s is refused, and nothing is sent",
    ([, input, path]) =>
      Effect.gen(function* () {
        const [issue] = (yield* issuesOf(PaymentOrders.create(input))) as ReadonlyArray<object>
        assert.deepStrictEqual(issue, { path, message: "could not be read" })
        assert.lengthOf(yield* sent, 0)
      }).pipe(Effect.provide(layer()))
  )

  it("each name of an input is read once, for the request and for the look-up", () => {
    let reads = 0
    const ids = new Proxy(["alice"], {
      get: (target, name) => (name === "0" ? `alice-${++reads}` : Reflect.get(target, name))
    })
    const { encoded, existing } = Result.getOrThrow(Operation.codec(Clients.createMany).prepare({ externalIds: ids }))
    assert(encoded.body._tag === "Json")
    assert.deepStrictEqual(encoded.body.fields["externalIds"], ["alice-1"])
    assert.deepStrictEqual(existing?.reads[0]?.input, { externalId: "alice-1" })
  })
})
