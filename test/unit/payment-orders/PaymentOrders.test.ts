import { assert, describe, it } from "@effect/vitest"
import { type PaymentOrder, PaymentOrders } from "@effect-custody/payment-orders"
import { Effect, Fiber, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import { notFound, page, scriptedClient, tagOf } from "../../support/clients/scriptedClient.ts"

const order = (status: string) => ({ data: { id: "o-1", status } })

describe("PaymentOrders", () => {
  it.effect("stream keeps its filters", () => {
    const { layer, sent } = scriptedClient(page([{ id: 1, status: "PENDING" }]))
    return Effect.gen(function* () {
      assert.strictEqual(yield* PaymentOrders.stream({ status: "PENDING" }).pipe(Stream.runCount), 1)
      assert.strictEqual(sent[0]?.url, "/payment-vault-orders?page=1&status=PENDING")
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

  it.effect("cannot read an order that is another one", () => {
    const { layer } = scriptedClient({ data: { id: "o-2", status: "CANCELLED" } })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(PaymentOrders.awaitFinal("o-1")))
      yield* TestClock.adjust("1 minute")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "UnexpectedResponse")
      assert.include(error.message, "the record in it has another id than the one that was asked for")
      assert.notInclude(error.message, "o-2")
    }).pipe(Effect.provide(layer))
  })

  it.effect("waits for an order that the service does not show at first, for 30 seconds", () => {
    const shown = scriptedClient(notFound, order("COMPLETED"))
    const never = scriptedClient(notFound)
    const options = { schedule: Schedule.spaced("10 seconds") }
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.provide(PaymentOrders.awaitFinal("o-1", options), shown.layer))
      const failing = yield* Effect.forkChild(
        tagOf(Effect.provide(PaymentOrders.awaitFinal("o-1", options), never.layer))
      )
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).status, "COMPLETED")
      assert.isUndefined(failing.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(failing), "NotFound")
    })
  })

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

describe("PaymentOrders.watch", () => {
  const statuses = Stream.map(({ status }: PaymentOrder) => status)

  it.effect("gives each status once, and ends with the final one", () => {
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

  it.effect("looks by the schedule that is given, and takes the service's own words for what is final", () => {
    const { layer, sent } = scriptedClient(order("COMPLETED"), order("SETTLED"))
    return Effect.gen(function* () {
      const options = { schedule: Schedule.spaced("1 hour"), isFinal: (status: string) => status === "SETTLED" }
      const fiber = yield* Effect.forkChild(PaymentOrders.watch("o-1", options).pipe(statuses, Stream.runCollect))
      yield* TestClock.adjust("59 minutes")
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["COMPLETED", "SETTLED"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("cannot read an order that is another one", () => {
    const { layer } = scriptedClient({ data: { id: "o-2", status: "CANCELLED" } })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(PaymentOrders.watch("o-1").pipe(Stream.runDrain, Effect.flip))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "UnexpectedResponse")
    }).pipe(Effect.provide(layer))
  })
})
