import { CustodyEmulator } from "@effect-custody/emulator"
import { Environment, RetryPolicy, TokenService } from "@effect-custody/core"
import { TokenStore } from "@effect-custody/authentication"
import { Custody, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as TestClock from "effect/testing/TestClock"

/** A client over the emulator, with this limit. */
const client = (requestsPerSecond: number | undefined) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const apiKey = yield* emulator.issueApiKey()
      return Layer.fresh(
        Custody.layer({ environment: emulator.environment, apiKey, limits: { requestsPerSecond } }).pipe(
          Layer.provide(TokenStore.layerMemory)
        )
      )
    })
  )

/** When each of many calls at once is answered, in milliseconds, in order. */
const answeredAt = Effect.fnUntraced(function* (calls: number) {
  const fiber = yield* Effect.forEach(
    Array.from({ length: calls }),
    () => Effect.andThen(Vaults.details(), Clock.currentTimeMillis),
    { concurrency: "unbounded" }
  ).pipe(Effect.forkChild)
  yield* TestClock.adjust("10 seconds")
  return (yield* Fiber.join(fiber)).toSorted((a, b) => a - b)
})

/** A call with this deadline. */
const nextCall = Effect.fnUntraced(function* (deadline: Duration.Input) {
  const fiber = yield* Effect.forkChild(Effect.exit(Vaults.details().pipe(RetryPolicy.within(deadline))))
  yield* TestClock.adjust(deadline)
  return yield* Fiber.join(fiber)
})

const storeError = new RateLimiter.RateLimiterError({
  reason: new RateLimiter.RateLimitStoreError({ message: "the store is down" })
})

const withEmulator = Effect.provide(CustodyEmulator.layerHttpClient)

describe("limits.requestsPerSecond", () => {
  it.effect("lets so many go at once, and then one after the other", () =>
    Effect.gen(function* () {
      yield* (yield* TokenService).current
      assert.deepStrictEqual(yield* answeredAt(10), [0, 0, 0, 0, 250, 500, 750, 1_000, 1_250, 1_500])
    }).pipe(Effect.provide(client(4)), withEmulator)
  )

  it.effect("is off unless it is set", () =>
    Effect.gen(function* () {
      yield* (yield* TokenService).current
      assert.deepStrictEqual([...new Set(yield* answeredAt(100))], [0])
    }).pipe(Effect.provide(client(undefined)), withEmulator)
  )

  it.effect("is shared by the clients of a session that are given one store", () =>
    Effect.gen(function* () {
      const last = Effect.gen(function* () {
        const clients = yield* Effect.forEach([1, 2], () => Layer.build(client(4)))
        for (const one of clients)
          yield* Effect.provide(
            Effect.flatMap(TokenService, ({ current }) => current),
            one
          )
        const start = yield* Clock.currentTimeMillis
        const calls = Array.from({ length: 8 }, (_, index) => Effect.provide(Vaults.details(), clients[index % 2]!))
        const fiber = yield* Effect.forkChild(
          Effect.forEach(calls, (call) => Effect.andThen(call, Clock.currentTimeMillis), { concurrency: "unbounded" })
        )
        yield* TestClock.adjust("10 seconds")
        return Math.max(...(yield* Fiber.join(fiber))) - start
      }).pipe(Effect.scoped)
      assert.strictEqual(yield* last, 0)
      assert.strictEqual(yield* Effect.provide(last, RateLimiter.layerStoreMemory), 1_000)
    }).pipe(withEmulator)
  )

  it.effect("keeps a call waiting within its deadline, and says that it was not sent", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(Vaults.details(), 2)
      const fiber = yield* Vaults.details().pipe(RetryPolicy.within("100 millis"), Effect.flip, Effect.forkChild)
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.deepInclude<object>(error, { _tag: "TransportError", phase: "NotSent" })
      assert.include(error.message, "waited for its turn under requestsPerSecond")
    }).pipe(Effect.provide(client(2)), withEmulator)
  )

  it.effect("a burst of calls that give up takes no turn from the calls after it", () =>
    Effect.gen(function* () {
      yield* (yield* TokenService).current
      const burst = yield* Vaults.details().pipe(
        RetryPolicy.within("300 millis"),
        Effect.exit,
        Effect.replicateEffect(500, { concurrency: "unbounded" }),
        Effect.forkChild
      )
      yield* TestClock.adjust("350 millis")
      // 10 at once, and one each 100 ms; the last may be as late as the deadline.
      assert.approximately((yield* Fiber.join(burst)).filter(Exit.isSuccess).length, 12, 1)
      assert.isTrue(Exit.isSuccess(yield* nextCall("100 millis")))
    }).pipe(Effect.provide(client(10)), withEmulator)
  )

  it.effect("goes on at its rate, for as long as twice as many calls come, and does not send those that are late", () =>
    Effect.gen(function* () {
      yield* (yield* TokenService).current
      const perSecond: Array<number> = []
      const waits: Array<number> = []
      const call = Effect.gen(function* () {
        const began = yield* Clock.currentTimeMillis
        if (Exit.isFailure(yield* Effect.exit(Vaults.details().pipe(RetryPolicy.within("500 millis"))))) return
        const ended = yield* Clock.currentTimeMillis
        waits.push(ended - began)
        const second = Math.floor(ended / 1000)
        perSecond[second] = (perSecond[second] ?? 0) + 1
      })
      const offering = yield* Effect.sleep("50 millis").pipe(
        Effect.andThen(Effect.forkChild(call)),
        Effect.repeat({ times: 399 }),
        Effect.forkChild
      )
      for (let tick = 0; tick < 420; tick++) yield* TestClock.adjust("50 millis")
      yield* Fiber.join(offering)
      for (const count of perSecond.slice(1, 20)) assert.approximately(count, 10, 1)
      // The newest goes first: one that has waited for most of its deadline would be cut short under way.
      assert.isAtMost(Math.max(...waits.slice(20)), 200)
    }).pipe(Effect.provide(client(10)), withEmulator)
  )

  it.effect.each([
    ["fails", Effect.fail(storeError)],
    ["has a defect", Effect.die(new Error("secret-of-the-store"))],
    ["hangs", Effect.never]
  ] as const)("is not kept while its store %s", ([, answer]) =>
    Effect.gen(function* () {
      let asked = 0
      const asks = () =>
        Effect.andThen(
          Effect.sync(() => asked++),
          answer
        )
      const store = RateLimiter.RateLimiterStore.of({
        fixedWindow: asks,
        tokenBucket: asks,
        adaptiveConsume: asks,
        adaptiveFeedback: asks
      })
      const lines: Array<string> = []
      const log = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      yield* Effect.gen(function* () {
        yield* (yield* TokenService).current
        const calls = yield* Effect.forkChild(
          Effect.replicateEffect(Effect.exit(Vaults.details()), 100, { concurrency: "unbounded" })
        )
        yield* TestClock.adjust("1 second")
        assert.isTrue((yield* Fiber.join(calls)).every(Exit.isSuccess))
        const before = asked
        yield* Vaults.details()
        assert.strictEqual(asked, before)
        yield* TestClock.adjust("10 seconds")
        const later = yield* Effect.forkChild(Vaults.details())
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(later)
        assert.strictEqual(asked, before + 1)
      }).pipe(
        Effect.provide(client(2)),
        Effect.provideService(RateLimiter.RateLimiterStore, store),
        Effect.provide(log)
      )
      assert.lengthOf(
        lines.filter((line) => line.startsWith("The store of the rate limit does not answer")),
        2
      )
      assert.notInclude(lines.join("\n"), "secret-of-the-store")
    }).pipe(withEmulator)
  )

  it.effect("is not kept while its store hangs, even if each call gives up before that is noticed", () =>
    Effect.gen(function* () {
      const hangs = () => Effect.never
      const store = RateLimiter.RateLimiterStore.of({
        fixedWindow: hangs,
        tokenBucket: hangs,
        adaptiveConsume: hangs,
        adaptiveFeedback: hangs
      })
      yield* Effect.gen(function* () {
        yield* (yield* TokenService).current
        const ends: Array<boolean> = []
        for (let call = 0; call < 5; call++) ends.push(Exit.isSuccess(yield* nextCall("400 millis")))
        assert.deepStrictEqual(ends, [false, false, false, true, true])
      }).pipe(Effect.provide(client(2)), Effect.provideService(RateLimiter.RateLimiterStore, store))
    }).pipe(withEmulator)
  )

  it.effect.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("cannot be %s", (requestsPerSecond) =>
    Effect.gen(function* () {
      const environment = Environment.local("http://127.0.0.1:4010/api/integration")
      const error = yield* Effect.flip(Custody.validate({ environment, limits: { requestsPerSecond } }))
      assert.strictEqual(error.option, "limits.requestsPerSecond")
    })
  )
})
