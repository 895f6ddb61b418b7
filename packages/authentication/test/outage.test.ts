/** A service or a store that cannot be reached for a refresh: calls wait, and cause no more requests. */
import { TokenStore } from "@effect-custody/authentication"
import { RetryPolicy } from "@effect-custody/core"
import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../../test/support/worlds/sessionWorld.ts"

/** A process whose access token is dead, and the number of its refreshes. */
const expired = Effect.fnUntraced(function* (retry: RetryPolicy.RetryPolicy = RetryPolicy.standard) {
  const world = yield* makeWorld({ tokenLifetime: "2 hours" })
  let refreshes = 0
  const http = HttpClient.tapRequest(world.http, ({ url }) =>
    Effect.sync(() => {
      if (url.endsWith("/auth/refresh-token")) refreshes++
    })
  )
  let loads = 0
  const place = world.place.store()
  const store = TokenStore.of({ ...place, load: (...args) => (loads++, place.load(...args)) })
  const process = yield* world.started({ retry, http, store })
  yield* world.emulator.expireTokens
  return { ...process, ...world, refreshes: () => refreshes, loads: () => loads }
})

/** Makes calls at a rate per second, for some seconds. */
const calls = <A, E>(read: Effect.Effect<A, E>, seconds: number, perSecond = 10) =>
  Effect.forEach(Array.from({ length: seconds * perSecond }), () =>
    Effect.tap(Effect.forkChild(Effect.exit(read)), () => TestClock.adjust(1_000 / perSecond))
  )

const failedOf = <A, E>(fibers: ReadonlyArray<Fiber.Fiber<Exit.Exit<A, E>>>) =>
  Effect.map(Effect.forEach(fibers, Fiber.join), (exits) => exits.filter(Exit.isFailure).length)

describe("a refresh that fails for a moment", () => {
  const moments = [
    { name: "one refused connection", fault: Fault.neverArrived(), times: 1 },
    { name: "five refused connections", fault: Fault.neverArrived(), times: 5 },
    { name: "a 429 with Retry-After", fault: Fault.rateLimited("1 second"), times: 1 },
    { name: "two answers in doubt", fault: Fault.serverError(), times: 2 }
  ]
  for (const { fault, name, times } of moments) {
    it.effect(`no call fails because of ${name} at a refresh, at ten calls a second for ten seconds`, () =>
      Effect.gen(function* () {
        const { read, refreshes, ...world } = yield* expired()
        yield* world.fault(fault, times)
        const fibers = yield* calls(read, 10)
        yield* pass(30_000, 100)
        assert.strictEqual(yield* failedOf(fibers), 0)
        assert.strictEqual(refreshes(), times + 1)
      })
    )
  }

  it.effect("the pauses after a refresh that was not sent are as the policy of the client says", () =>
    Effect.gen(function* () {
      const policy = RetryPolicy.makeUnsafe({ session: { attempts: 3, initialDelay: "100 millis" } })
      const { read, refreshes, ...world } = yield* expired(policy)
      yield* world.fault(Fault.neverArrived(), 2)
      const fiber = yield* Effect.forkChild(read)
      yield* pass(1_000, 50)
      assert.isDefined(fiber.pollUnsafe())
      yield* Fiber.join(fiber)
      assert.strictEqual(refreshes(), 3)
    })
  )

  it.effect("calls wait for the Retry-After of a refresh under any policy", () =>
    Effect.gen(function* () {
      const { read, refreshes, ...world } = yield* expired()
      yield* world.fault(Fault.rateLimited("2 seconds"))
      const reading = yield* Effect.forkChild(read)
      yield* pass(1_990)
      assert.strictEqual(refreshes(), 1)
      yield* pass(500)
      assert.isDefined(reading.pollUnsafe())
      assert.strictEqual(refreshes(), 2)
    })
  )
})

describe("a refresh that fails for long", () => {
  it.effect(
    "in an outage of ten minutes a refresh is sent about once per cool-down",
    () =>
      Effect.gen(function* () {
        const { read, refreshes, ...world } = yield* expired()
        yield* world.fault(Fault.neverArrived(), 10_000)
        yield* calls(read.pipe(RetryPolicy.within("4 seconds")), 600, 2)
        assert.isAtMost(refreshes(), 126)
        assert.isAtLeast(refreshes(), 60)
      }),
    60_000
  )

  it.effect("a call fails at once if the pause after a refresh exceeds its deadline, policy or maxRetryAfter", () =>
    Effect.gen(function* () {
      const { read, ...world } = yield* expired(
        RetryPolicy.makeUnsafe({ read: { maxRetryAfter: Duration.seconds(10) } })
      )
      yield* world.fault(Fault.rateLimited("20 seconds"))
      const before = yield* TestClock.testClockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
      assert.strictEqual(yield* tagOf(letTime(read)), "RefreshUnavailable")
      assert.strictEqual(yield* tagOf(letTime(read.pipe(RetryPolicy.within("5 seconds")))), "RefreshUnavailable")
      assert.strictEqual(yield* tagOf(letTime(read.pipe(RetryPolicy.provide(RetryPolicy.none)))), "RefreshUnavailable")
      const after = yield* TestClock.testClockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
      assert.isBelow(after - before, 2_000)
      yield* letTime(read.pipe(RetryPolicy.provide(RetryPolicy.standard)))
    })
  )

  it.effect("a refresh that a gateway refuses fails the calls at once, with the phase Rejected", () =>
    Effect.gen(function* () {
      const { read, refreshes, ...world } = yield* expired()
      yield* world.fault(Fault.html({ status: 403 }))
      const error = yield* Effect.flip(letTime(read))
      assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase: "Rejected", reason: "HTTP 403" })
      assert.strictEqual(refreshes(), 1)
    })
  )
})

describe("a store that fails while tokens are due", () => {
  for (const operation of ["load", "compareAndSwap"] as const) {
    it.effect(`no call fails while ${operation} fails for eight seconds, and the store is asked after pauses`, () =>
      Effect.gen(function* () {
        const { loads, place, read, refreshes } = yield* expired()
        const before = loads()
        yield* place.broken(operation)
        const fibers = yield* calls(read, 8)
        assert.isAtMost(loads() - before, 14)
        yield* place.broken(undefined)
        yield* pass(6_000, 100)
        assert.strictEqual(yield* failedOf(fibers), 0)
        assert.strictEqual(refreshes(), 1)
      })
    )
  }

  it.effect("no call fails after a 401 while the store with the newer session fails for eight seconds", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ quirks: { oldAccessTokenOutlivesRotation: false } })
      const { read } = yield* world.started({ retry: RetryPolicy.standard })
      const other = yield* world.boot()
      yield* other.tokens.rotate(0)
      yield* world.place.broken("load")
      const reading = yield* calls(read, 8)
      yield* world.place.broken(undefined)
      yield* pass(6_000, 100)
      assert.strictEqual(yield* failedOf(reading), 0)
    })
  )

  it.effect("a call whose deadline or policy allows no wait for the store fails with the store's error", () =>
    Effect.gen(function* () {
      const { place, read } = yield* expired()
      yield* place.broken("load")
      const error = yield* Effect.flip(letTime(read.pipe(RetryPolicy.within("3 seconds"))))
      assert.deepInclude<object>(error, { _tag: "TokenStoreError", operation: "load", reason: "out of order" })
      assert.strictEqual(
        yield* tagOf(letTime(read.pipe(RetryPolicy.provide(RetryPolicy.none)), 1, 5)),
        "TokenStoreError"
      )
    })
  )
})

describe("a first start while the service cannot be reached", () => {
  it.effect.each([
    ["NotSent", Fault.neverArrived()],
    ["Throttled", Fault.rateLimited("1 second")]
  ] as const)(
    "a first start that fails with %s fails the call at once, and the next call sends the key again",
    ([phase, fault]) =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const apiKey = yield* world.emulator.issueApiKey()
        const { read } = yield* world.boot({ apiKey, retry: RetryPolicy.standard })
        yield* world.emulator.faults.next("authentication.generateTokens", fault)
        const error = yield* Effect.flip(letTime(read, 1, 50))
        assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase, isStart: true })
        yield* TestClock.adjust("2 seconds")
        yield* letTime(read)
      })
  )
})

describe("a client that is closed", () => {
  it.effect("a closed client fails its calls at once", () =>
    Effect.gen(function* () {
      const { close, read, refreshes } = yield* expired()
      yield* close
      const error = yield* Effect.flip(letTime(read, 1, 5))
      assert.deepInclude<object>(error, { _tag: "RefreshUnavailable", phase: "Stopped" })
      assert.strictEqual(refreshes(), 0)
    })
  )
})
