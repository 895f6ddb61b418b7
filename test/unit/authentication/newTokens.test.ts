import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../support/worlds/sessionWorld.ts"

/** A process whose token has expired, at a service that accepts a new one only after a while. */
const expired = Effect.gen(function* () {
  const world = yield* makeWorld({ quirks: { accessTokenActivation: "900 millis" } })
  const { read } = yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
  yield* letTime(read)
  yield* TestClock.adjust("1 minute")
  yield* world.emulator.expireTokens
  return { world, read }
})

describe("a token that the service does not know everywhere yet", () => {
  it.effect("39 · a new token that is not accepted for a second: the call waits, and is sent once more", () =>
    Effect.gen(function* () {
      const { read, world } = yield* expired
      yield* letTime(read)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )

  it.effect("39 · a store that is slow makes it no older: its refresh token, perhaps spent, is not sent again", () =>
    Effect.gen(function* () {
      const { read, world } = yield* expired
      yield* world.fault(Fault.edited({ data: { refreshToken: null } }))
      // The rotation reads the record first, and then the 401 does.
      yield* world.place.next("load", undefined, { wait: 1_200 })
      yield* letTime(read)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )

  it.effect("39 · another process rotates it meanwhile: it is tried once more, and the other not waited for", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ quirks: { accessTokenActivation: "900 millis" } })
      const one = yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
      yield* letTime(one.read)
      const two = yield* world.boot()
      yield* TestClock.adjust("1 minute")
      yield* world.emulator.expireTokens
      // The rotation reads the record first; the 401 on what it brought is told late of what the other has written.
      yield* world.place.next("load", undefined, { wait: 200 })
      const reading = yield* Effect.forkChild(one.read)
      yield* pass(100)
      assert.strictEqual((yield* one.tokens.current).generation, 1)
      yield* world.fault(Fault.silence())
      const rotating = yield* Effect.forkChild(Effect.exit(Effect.andThen(two.tokens.rotate(0), two.tokens.rotate(1))))
      yield* pass(100)
      const { intent, lease } = yield* world.place.record
      assert.isTrue(lease !== undefined && intent?._tag === "Refresh" && intent.generation === 1)
      yield* pass(1_200)
      assert.isDefined(reading.pollUnsafe())
      yield* Fiber.join(reading)
      assert.strictEqual((yield* one.tokens.current).generation, 1)
      // The other has no answer yet, and its refresh token was sent by nobody else.
      assert.isUndefined(rotating.pollUnsafe())
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 2, rotations: 2 })
    })
  )
})

describe("a token that no header can carry", () => {
  const tokens = ["line\nbreak", "nul\0", "carriage\rreturn", "beyond latin-1: \u20ac", "x".repeat(100_000)]
  for (const accessToken of tokens) {
    const name = JSON.stringify(accessToken.slice(0, 20))
    it.effect(`60 · ${name}: its pair is kept, and its refresh token used at once for another`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const { events, read, tokens: service } = yield* world.started()
        yield* world.emulator.expireTokens
        yield* world.fault(Fault.edited({ data: { accessToken } }))
        yield* letTime(read)
        yield* letTime(read)
        assert.deepInclude(yield* world.emulator.counts, { refreshes: 2, rotations: 2 })
        assert.deepStrictEqual(
          events.filter(({ _tag }) => _tag !== "Started"),
          [
            { _tag: "Rotated", generation: 1 },
            { _tag: "Unsendable", generation: 1 },
            { _tag: "Rotated", generation: 2 }
          ]
        )
        assert.strictEqual((yield* service.status).state, "serving")
        assert.isTrue(world.place.records.some(({ session }) => session?.generation === 1))
      })
    )
  }

  it.effect("60 · again and again: calls fail with an error of its type, and each cooldown costs one refresh", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read, tokens: service } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.edited({ data: { accessToken: "line\nbreak" } }), 3)
      for (let calls = 0; calls < 3; calls++) assert.strictEqual(yield* tagOf(letTime(read)), "RefreshUnavailable")
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 2 })
      assert.strictEqual((yield* service.status).state, "unsendable")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(yield* tagOf(letTime(read)), "RefreshUnavailable")
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 3 })
      yield* TestClock.adjust("6 seconds")
      yield* letTime(read)
      assert.strictEqual((yield* service.status).state, "serving")
    })
  )

  it.effect("60 · from the exchange of an API key: it is kept, and refreshed at once", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      yield* world.emulator.faults.next(
        "authentication.generateTokens",
        Fault.edited({ data: { accessToken: "line\nbreak" } })
      )
      const { read } = yield* world.started()
      yield* read
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )
})
