import { assert, describe, it } from "@effect/vitest"
import { Amount } from "@effect-custody/core"
import { PaymentOrders } from "@effect-custody/payment-orders"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { page, scriptedClient } from "../../support/clients/scriptedClient.ts"

const order = (status: string) => ({ data: { id: "o-1", status } })

describe("PaymentOrders", () => {
  it.effect("create asks for an amount in a currency, the asset left open", () => {
    const { layer, sent } = scriptedClient({ data: { id: 3, paymentLink: "https://pay.example/3", assetId: null } })
    return Effect.gen(function* () {
      const taken = yield* PaymentOrders.create({
        amount: Amount.fromString("99.90"),
        currency: "EUR",
        clientId: "alice"
      })
      assert.strictEqual(taken.paymentLink, "https://pay.example/3")
      assert.isUndefined(taken.assetId)
      assert.deepStrictEqual(sent, [
        {
          method: "POST",
          url: "/payment-vault-orders",
          body: { amount: "99.90", currency: "EUR", clientId: "alice" }
        }
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("selectAsset and cancel name the order in the path, and ask nothing of the answer", () => {
    const { layer, sent } = scriptedClient({ data: {} })
    return Effect.gen(function* () {
      yield* PaymentOrders.selectAsset({ orderId: "o-1", assetId: "usdc", networkId: "ethereum" })
      yield* PaymentOrders.cancel({ orderId: "o-1" })
      assert.deepStrictEqual(sent, [
        {
          method: "POST",
          url: "/payment-vault-orders/o-1/asset",
          body: { assetId: "usdc", networkId: "ethereum" }
        },
        { method: "POST", url: "/payment-vault-orders/o-1/cancel", body: undefined }
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("get, list and stream read", () => {
    const { layer, sent } = scriptedClient(order("PENDING"), page([{ id: 1, status: "PENDING" }]))
    return Effect.gen(function* () {
      assert.strictEqual((yield* PaymentOrders.get({ orderId: "o-1" })).status, "PENDING")
      yield* PaymentOrders.list({ status: "PENDING", clientId: "alice" })
      assert.strictEqual(yield* PaymentOrders.stream({ status: "PENDING" }).pipe(Stream.runCount), 1)
      assert.deepStrictEqual(
        sent.map(({ method, url }) => `${method} ${url}`),
        [
          "GET /payment-vault-orders/o-1",
          "GET /payment-vault-orders?status=PENDING&clientId=alice",
          "GET /payment-vault-orders?page=1&status=PENDING"
        ]
      )
    }).pipe(Effect.provide(layer))
  })
})

describe("PaymentOrders.awaitFinal", () => {
  for (const status of ["COMPLETED", "Cancelled", "rejected", "ERROR"]) {
    it.effect(`waits until ${status}`, () => {
      const { layer, sent } = scriptedClient(order("PENDING"), order(status))
      return Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(PaymentOrders.awaitFinal("o-1"))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(fiber)).status, status)
        assert.lengthOf(sent, 2)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("is StillPending at its deadline", () => {
    const { layer } = scriptedClient(order("PAID_IN_PART"))
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(PaymentOrders.awaitFinal("o-1", { deadline: "1 hour" })))
      yield* TestClock.adjust("1 hour")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "StillPending")
      if (error._tag === "StillPending") {
        assert.strictEqual(error.operation, "paymentOrders.awaitFinal")
        assert.strictEqual(error.id, "o-1")
        assert.strictEqual(error.lastStatus, "PAID_IN_PART")
      }
    }).pipe(Effect.provide(layer))
  })
})
