import { assert, describe, it } from "@effect/vitest"
import { type PaymentOrder, PaymentOrders } from "@effect-custody/payment-orders"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { scriptedClient } from "../../../test/support/clients/scriptedClient.ts"

const order = (status: string) => ({ data: { id: "o-1", status } })

describe("PaymentOrders.awaitFinal", () => {
  for (const status of ["COMPLETED", "Cancelled", "rejected", "ERROR"]) {
    it.effect(`awaitFinal ends with the status ${status}`, () => {
      const { layer, sent } = scriptedClient(order("PENDING"), order(status))
      return Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(PaymentOrders.awaitFinal("o-1"))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(fiber)).status, status)
        assert.lengthOf(sent, 2)
      }).pipe(Effect.provide(layer))
    })
  }
})

describe("PaymentOrders.watch", () => {
  const statuses = Stream.map(({ status }: PaymentOrder) => status)

  it.effect("watch emits each status once, and ends with the final status", () => {
    const { layer, sent } = scriptedClient(
      order("PENDING"),
      order("PENDING"),
      order("PAID_IN_PART"),
      order("Cancelled"),
      order("COMPLETED")
    )
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(PaymentOrders.watch("o-1").pipe(statuses, Stream.runCollect))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["PENDING", "PAID_IN_PART", "Cancelled"])
      assert.lengthOf(sent, 4)
    }).pipe(Effect.provide(layer))
  })
})
