import { assert, describe, it } from "@effect/vitest"
import { type CustodyClient, RetryPolicy } from "@effect-custody/core"
import { Transactions } from "@effect-custody/transactions"
import { Effect, Exit, Fiber, Option, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import { notFound, scriptedClient, tagOf } from "../../../test/support/clients/scriptedClient.ts"

const transaction = (status: string) => ({ data: { id: "t-1", status } })

describe("Transactions.awaitFinal", () => {
  it.effect("awaitFinal reads at once, then after 1 s, 1.5 s, 2.25 s …, and returns the final transaction", () => {
    const { layer, sent } = scriptedClient(
      transaction("PENDING"),
      transaction("BROADCASTING"),
      transaction("BROADCASTING"),
      transaction("COMPLETED")
    )
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Transactions.awaitFinal("t-1"))
      yield* TestClock.adjust("999 millis")
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust("1 milli")
      assert.lengthOf(sent, 2)
      yield* TestClock.adjust("1500 millis")
      assert.lengthOf(sent, 3)
      yield* TestClock.adjust("2250 millis")
      const final = yield* Fiber.join(fiber)
      assert.strictEqual(final.status, "COMPLETED")
      assert.lengthOf(sent, 4)
    }).pipe(Effect.provide(layer))
  })

  for (const status of ["COMPLETED", "completed", "Rejected", "error"]) {
    it.effect(`awaitFinal ends with the status ${status}`, () => {
      const { layer, sent } = scriptedClient(transaction(status))
      return Effect.gen(function* () {
        assert.strictEqual((yield* Transactions.awaitFinal("t-1")).status, status)
        assert.lengthOf(sent, 1)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("awaitFinal fails with StillPending at the deadline, with id and status, if the status is unknown", () => {
    const { layer, sent } = scriptedClient(transaction("FROZEN"))
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(Transactions.awaitFinal("t-1")))
      yield* TestClock.adjust("15 minutes")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "StillPending")
      if (error._tag === "StillPending") {
        assert.strictEqual(error.operation, "transactions.awaitFinal")
        assert.strictEqual(error.id, "t-1")
        assert.strictEqual(error.lastStatus, "FROZEN")
        assert.deepStrictEqual(error.unmapped, ["FROZEN"])
        assert.include(error.message, "The contract maps no value to the service's FROZEN")
      }
      // 7 reads while the waits grow to 15 seconds, then one read every 15 seconds.
      assert.isAbove(sent.length, 60)
      assert.isBelow(sent.length, 70)
    }).pipe(Effect.provide(layer))
  })

  it.effect("awaitFinal follows a given schedule, and fails with StillPending at its end", () => {
    const { layer, sent } = scriptedClient(transaction("PENDING"))
    return Effect.gen(function* () {
      const schedule = Schedule.spaced("1 minute").pipe(Schedule.upTo({ times: 2 }))
      const fiber = yield* Effect.forkChild(tagOf(Transactions.awaitFinal("t-1", { schedule })))
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* Fiber.join(fiber), "StillPending")
      assert.lengthOf(sent, 3)
    }).pipe(Effect.provide(layer))
  })

  it.effect("awaitFinal accepts the service's own names of final statuses", () => {
    const { layer } = scriptedClient(transaction("DONE"))
    return Effect.gen(function* () {
      const final = yield* Transactions.awaitFinal("t-1", { isFinal: (status) => status === "DONE" })
      assert.strictEqual(final.status, "DONE")
    }).pipe(Effect.provide(layer))
  })

  it.effect("awaitFinal waits for a transaction that the service does not show at first, or not everywhere", () => {
    const { layer, sent } = scriptedClient(notFound, transaction("PENDING"), notFound, transaction("COMPLETED"))
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Transactions.awaitFinal("t-1"))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).status, "COMPLETED")
      assert.lengthOf(sent, 4)
    }).pipe(Effect.provide(layer))
  })

  it.effect("awaitFinal fails with NotFound if the service does not show the transaction for 30 seconds", () => {
    const { layer, sent } = scriptedClient(notFound)
    return Effect.gen(function* () {
      const schedule = Schedule.spaced("1 second")
      const fiber = yield* Effect.forkChild(tagOf(Transactions.awaitFinal("t-1", { schedule })))
      yield* TestClock.adjust("29 seconds")
      assert.lengthOf(sent, 30)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), "NotFound")
      assert.lengthOf(sent, 31)
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "awaitFinal fails with StillPending at a deadline before which the service has not shown the transaction",
    () => {
      const { layer } = scriptedClient(notFound)
      return Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.flip(Transactions.awaitFinal("t-1", { deadline: "10 seconds" })))
        yield* TestClock.adjust("10 seconds")
        const error = yield* Fiber.join(fiber)
        assert.strictEqual(error._tag, "StillPending")
        assert.isFalse("lastStatus" in error)
        assert.include(error.message, "no status was seen yet")
      }).pipe(Effect.provide(layer))
    }
  )
})

describe("A read of a transaction by its id", () => {
  const reads = {
    get: (transactionId: string) => Transactions.get({ transactionId }),
    status: (transactionId: string) => Transactions.status({ transactionId }),
    awaitFinal: (transactionId: string) => Transactions.awaitFinal(transactionId),
    watch: (transactionId: string) => Stream.runDrain(Transactions.watch(transactionId))
  }
  /** How a read of this id ends if the service answers with this record. */
  const ended = Effect.fnUntraced(function* (read: keyof typeof reads, asked: string, record: object) {
    const { layer } = scriptedClient({ data: { status: "REJECTED", ...record } })
    const call: Effect.Effect<unknown, { readonly _tag: string }, CustodyClient> = reads[read](asked)
    const fiber = yield* call.pipe(
      RetryPolicy.provide(RetryPolicy.none),
      Effect.exit,
      Effect.provide(layer),
      Effect.forkChild
    )
    yield* TestClock.adjust("1 minute")
    const exit = yield* Fiber.join(fiber)
    return Exit.isSuccess(exit) ? "read" : Option.map(Exit.findErrorOption(exit), ({ _tag }) => _tag)
  })

  for (const read of ["get", "status", "awaitFinal", "watch"] as const) {
    it.effect(`${read} does not accept the record of another transaction`, () =>
      Effect.gen(function* () {
        for (const record of [
          { id: "t-2" },
          { id: 7 },
          { id: "t-2", hash: "0xfeed" },
          { id: "t-2", transactionId: "t-2" },
          { id: "t-2", note: "t-1", clientId: "t-1" }
        ]) {
          assert.deepStrictEqual(yield* ended(read, "t-1", record), Option.some("UnexpectedResponse"))
        }
      })
    )

    it.effect(`${read} accepts a record with the requested id as a number, in another case, or in another field`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* ended(read, "17", { id: 17 }), "read")
        assert.strictEqual(yield* ended(read, "9007199254740993", { id: "9007199254740993" }), "read")
        assert.strictEqual(yield* ended(read, "0XFEED", { id: "t-2", hash: "0xfeed" }), "read")
        assert.strictEqual(yield* ended(read, "A1-B2", { id: "a1-b2" }), "read")
        assert.strictEqual(yield* ended(read, "t-1", { id: 991, transaction_id: "t-1" }), "read")
        assert.strictEqual(yield* ended(read, "req-5", { id: "t-2", requestId: "req-5" }), "read")
      })
    )
  }

  it.effect("status accepts an answer without an id", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* ended("status", "t-1", {}), "read")
      assert.strictEqual(yield* ended("status", "t-1", { requestId: "trace-1" }), "read")
      assert.deepStrictEqual(yield* ended("status", "t-1", { transactionId: "t-2" }), Option.some("UnexpectedResponse"))
    })
  )
})

describe("Transactions.watch", () => {
  it.effect("watch emits each status once, and ends with the final status", () => {
    const { layer, sent } = scriptedClient(
      transaction("PENDING"),
      transaction("PENDING"),
      transaction("BROADCASTING"),
      transaction("BROADCASTING"),
      transaction("COMPLETED"),
      transaction("COMPLETED")
    )
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Transactions.watch("t-1").pipe(
          Stream.map(({ status }) => status),
          Stream.runCollect
        )
      )
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["PENDING", "BROADCASTING", "COMPLETED"])
      assert.lengthOf(sent, 5)
    }).pipe(Effect.provide(layer))
  })

  it.effect("watch waits for a transaction that the service does not show at first, and fails after 30 seconds", () => {
    const { layer } = scriptedClient(notFound, transaction("PENDING"), notFound, transaction("COMPLETED"))
    const never = scriptedClient(notFound)
    const statuses = Transactions.watch("t-1").pipe(
      Stream.map(({ status }) => status),
      Stream.runCollect
    )
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.provide(statuses, layer))
      const failing = yield* Effect.forkChild(tagOf(Effect.provide(statuses, never.layer)))
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["PENDING", "COMPLETED"])
      assert.isUndefined(failing.pollUnsafe())
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* Fiber.join(failing), "NotFound")
    })
  })

  it.effect("watch stops reading when the stream has no consumer", () => {
    const { layer, sent } = scriptedClient(transaction("PENDING"), transaction("BROADCASTING"))
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Transactions.watch("t-1", { schedule: Schedule.spaced("1 second") }).pipe(Stream.take(2), Stream.runCount)
      )
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* Fiber.join(fiber), 2)
      assert.lengthOf(sent, 2)
    }).pipe(Effect.provide(layer))
  })
})
