import { CustodyEmulator } from "@effect-custody/emulator"
import { Environment, RetryPolicy, TokenService } from "@effect-custody/core"
import { TokenStore } from "@effect-custody/authentication"
import { Custody, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as TestClock from "effect/testing/TestClock"

/** A client over the emulator, with this limit. */
const client = (requestsPerSecond: number) =>
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

const storeError = new RateLimiter.RateLimiterError({
  reason: new RateLimiter.RateLimitStoreError({ message: "the store is down" })
})

const withEmulator = Effect.provide(CustodyEmulator.layerHttpClient)

describe("limits.requestsPerSecond", () => {
  it.effect("requestsPerSecond sends that many requests at once, and then one after another", () =>
    Effect.gen(function* () {
      yield* (yield* TokenService).current
      const call = Effect.andThen(Vaults.details(), Clock.currentTimeMillis)
      const calls = yield* Effect.forkChild(Effect.replicateEffect(call, 10, { concurrency: "unbounded" }))
      yield* TestClock.adjust("10 seconds")
      const answeredAt = (yield* Fiber.join(calls)).toSorted((a, b) => a - b)
      assert.deepStrictEqual(answeredAt, [0, 0, 0, 0, 250, 500, 750, 1_000, 1_250, 1_500])
    }).pipe(Effect.provide(client(4)), withEmulator)
  )

  it.effect("clients of one session share requestsPerSecond through one store", () =>
    Effect.gen(function* () {
      const last = Effect.gen(function* () {
        const clients = yield* Effect.forEach([1, 2], () => Layer.build(client(4)))
        const ready = Effect.flatMap(TokenService, ({ current }) => current)
        for (const one of clients) yield* Effect.provide(ready, one)
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

  it.effect("a call waits for its turn until its deadline, and then says that it was not sent", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(Vaults.details(), 2)
      const fiber = yield* Vaults.details().pipe(RetryPolicy.within("100 millis"), Effect.flip, Effect.forkChild)
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.deepInclude<object>(error, { _tag: "TransportError", phase: "NotSent" })
      assert.include(error.message, "waited for its turn under requestsPerSecond")
    }).pipe(Effect.provide(client(2)), withEmulator)
  )

  it.effect("a burst of calls that give up takes no turn from later calls", () =>
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
      const next = yield* Effect.forkChild(Effect.exit(Vaults.details().pipe(RetryPolicy.within("100 millis"))))
      yield* TestClock.adjust("100 millis")
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(next)))
    }).pipe(Effect.provide(client(10)), withEmulator)
  )

  it.effect("a call says that it was not sent if the store of the rate limit fails", () =>
    Effect.gen(function* () {
      const fails = () => Effect.fail(storeError)
      const store = RateLimiter.RateLimiterStore.of({
        fixedWindow: fails,
        tokenBucket: fails,
        adaptiveConsume: fails,
        adaptiveFeedback: fails
      })
      const call = Vaults.details().pipe(RetryPolicy.provide(RetryPolicy.none), Effect.flip)
      const error = yield* Effect.provide(call, client(2)).pipe(
        Effect.provideService(RateLimiter.RateLimiterStore, store)
      )
      assert.deepInclude<object>(error, {
        _tag: "TransportError",
        phase: "NotSent",
        reason: "the store of the rate limit failed"
      })
    }).pipe(withEmulator)
  )

  it.effect.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    "requestsPerSecond cannot be %s",
    (requestsPerSecond) =>
      Effect.gen(function* () {
        const environment = Environment.emulator("http://127.0.0.1:4010/api/integration")
        const error = yield* Effect.flip(Custody.validate({ environment, limits: { requestsPerSecond } }))
        assert.strictEqual(error.option, "limits.requestsPerSecond")
      })
  )
})
