import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass } from "../../support/worlds/sessionWorld.ts"

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
