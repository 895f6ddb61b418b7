import { RetryPolicy } from "@effect-custody/core"
import { Fault } from "@effect-custody/emulator"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../support/worlds/sessionWorld.ts"

describe("whoever waits for a rotation", () => {
  it.effect("13 · with a 401 of the token that is replaced has the new one with it, and asks no store", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* world.started()
      yield* world.fault(Fault.delayed({ answer: "500 millis" }))
      const rotating = yield* Effect.forkChild(tokens.rotate(0))
      yield* pass(100)
      yield* world.place.broken("load")
      const waiting = yield* Effect.forkChild(tokens.reload(0))
      yield* pass(600)
      assert.isDefined(waiting.pollUnsafe())
      assert.strictEqual((yield* Fiber.join(waiting)).generation, 1)
      assert.strictEqual((yield* Fiber.join(rotating)).generation, 1)
    })
  )

  it.effect(
    "15 · and is interrupted changes nothing, at whatever step: the starter and the others have its token",
    () =>
      Effect.gen(function* () {
        for (let steps = 0; steps < 40; steps += 2) {
          const world = yield* makeWorld()
          const { tokens } = yield* world.started()
          const starter = yield* Effect.forkChild(tokens.rotate(0), { startImmediately: true })
          const joiner = yield* Effect.forkChild(tokens.rotate(0), { startImmediately: true })
          const another = yield* Effect.forkChild(tokens.rotate(0), { startImmediately: true })
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(joiner)
          assert.strictEqual((yield* Fiber.join(starter)).generation, 1)
          assert.strictEqual((yield* Fiber.join(another)).generation, 1)
          assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
        }
      })
  )

  it.effect("44 · and runs out of time is told that the call was not sent; the rotation goes on", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens, use } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.delayed({ answer: "5 seconds" }))
      const error = yield* Effect.flip(letTime(use(Vaults.details().pipe(RetryPolicy.within("1 second")))))
      assert.deepInclude<object>(error, { _tag: "TransportError", phase: "NotSent" })
      assert.include(error.message, "rotat")
      yield* pass(5_000, 100)
      assert.strictEqual((yield* tokens.current).generation, 1)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )
})

describe("a service that asks to wait", () => {
  it.effect("is obeyed by the process that it asked, whatever shorter pause another one has stored", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const one = yield* world.started()
      const other = yield* world.boot()
      yield* other.read
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.rateLimited("40 seconds"))
      assert.strictEqual(yield* tagOf(letTime(one.read)), "RefreshUnavailable")
      yield* world.fault(Fault.serverError(), 2)
      assert.strictEqual(yield* tagOf(letTime(other.read)), "SessionAmbiguous")
      const { refreshes } = yield* world.emulator.counts
      for (const _ of [1, 2]) {
        assert.strictEqual(yield* tagOf(letTime(one.read)), "RefreshUnavailable")
        yield* TestClock.adjust("8 seconds")
      }
      assert.deepInclude(yield* world.emulator.counts, { refreshes })
      yield* TestClock.adjust("40 seconds")
      yield* letTime(one.read)
    })
  )
})

describe("a clock that somebody sets", () => {
  /** A process whose time of day is ahead of the service's by a given amount; durations are the same. */
  const skewed = Effect.gen(function* () {
    const real = yield* Clock.Clock
    let ahead = 0
    const clock: Clock.Clock = Object.create(real, {
      currentTimeMillisUnsafe: { value: () => real.currentTimeMillisUnsafe() + ahead },
      currentTimeMillis: { value: Effect.sync(() => real.currentTimeMillisUnsafe() + ahead) }
    })
    return {
      set: (millis: number) => Effect.sync(() => void (ahead = millis)),
      inside: Effect.provideService(Clock.Clock, clock),
      outside: (http: HttpClient.HttpClient) =>
        HttpClient.make((request) => Effect.provideService(http.execute(request), Clock.Clock, real))
    }
  })
  const hour = 3_600_000

  it.effect("31 · jumps back an hour: no pause, no doubt and no token lasts longer for it", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { inside, outside, set } = yield* skewed
      yield* TestClock.adjust("2 hours")
      const apiKey = yield* world.emulator.issueApiKey()
      const process = yield* inside(world.boot({ apiKey, http: outside(world.http) }))
      const read = inside(process.read)
      yield* read
      // The pause after a refusal to serve.
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.rateLimited("3 seconds"))
      assert.strictEqual(yield* tagOf(letTime(read)), "RefreshUnavailable")
      yield* set(-hour)
      yield* TestClock.adjust("6 seconds")
      yield* letTime(read)
      // The pause after answers that nobody knows, which is in the record, by the hour: here, and in another process.
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.serverError(), 2)
      assert.strictEqual(yield* tagOf(letTime(read)), "SessionAmbiguous")
      yield* set(-2 * hour)
      const other = yield* inside(world.boot({ http: outside(world.http) }))
      yield* TestClock.adjust("6 seconds")
      yield* letTime(inside(other.read))
      yield* letTime(read)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 5, rotations: 2 })
      // The expiry lies three hours ahead by our clock: the service's 498 comes first, and is enough.
      yield* TestClock.adjust("20 minutes")
      yield* letTime(read)
      assert.strictEqual((yield* world.emulator.counts).refreshes, 6)
    })
  )

  it.effect("31 · jumps ahead a day: a token is replaced once, and no lease is dead for it", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { inside, outside, set } = yield* skewed
      const apiKey = yield* world.emulator.issueApiKey()
      const one = yield* inside(world.boot({ apiKey, http: outside(world.http) }))
      yield* inside(one.read)
      const two = yield* inside(world.boot({ http: outside(world.http) }))
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.delayed({ answer: "5 seconds" }))
      const first = yield* Effect.forkChild(inside(one.read))
      yield* pass(200)
      const second = yield* Effect.forkChild(inside(two.read))
      yield* pass(200)
      yield* set(24 * hour)
      yield* pass(6_000, 50)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
      yield* TestClock.adjust("1 minute")
      yield* letTime(inside(one.read))
      assert.isAtMost((yield* world.emulator.counts).refreshes, 2)
    })
  )
})

describe("the background", () => {
  it.effect("1 · does nothing more after an answer that nobody knows, as long as the token serves", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ tokenLifetime: "10 minutes" })
      let loads = 0
      const inner = world.place.store()
      const load = (identity: string) => Effect.tap(inner.load(identity), () => Effect.sync(() => loads++))
      const { tokens } = yield* world.started({ store: { ...inner, load } })
      yield* world.fault(Fault.answerLost())
      while ((yield* tokens.status).state !== "ambiguous") yield* TestClock.adjust("1 second")
      const before = loads
      for (let second = 0; second < 30; second++) yield* TestClock.adjust("1 second")
      assert.strictEqual(loads, before)
    })
  )
})
