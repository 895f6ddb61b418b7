import { RetryPolicy } from "@effect-custody/core"
import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, tagOf } from "../../../test/support/worlds/sessionWorld.ts"

type World = Effect.Success<ReturnType<typeof makeWorld>>

/** Counts the sent API keys. */
const exchanges = (world: World) =>
  Effect.map(world.emulator.received, (all) => all.filter(({ token }) => token?.kind === "apiKey").length)

describe("an API key", () => {
  const lost = [
    { name: "a lost answer", fault: Fault.answerLost() },
    { name: "a cut answer", fault: Fault.truncated(20) },
    { name: "a 201 that does not decode", fault: Fault.edited({ data: { accessToken: null, refreshToken: null } }) },
    { name: "a 201 that is no JSON", fault: Fault.answered({ status: 201, body: "ok", acts: true }) },
    { name: "a 502 after the exchange", fault: Fault.serverError({ status: 502, acts: true }) },
    { name: "no answer", fault: Fault.silence() }
  ]
  for (const { fault, name } of lost) {
    it.effect(`no process sends an API key again after ${name}, and the error says so`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const apiKey = yield* world.emulator.issueApiKey()
        yield* world.emulator.faults.next("authentication.generateTokens", fault)
        const first = yield* world.boot({ apiKey })
        // An answer is listened for longer than a call waits by default.
        const error = yield* Effect.flip(
          letTime(RetryPolicy.provide(first.read, RetryPolicy.makeUnsafe({ read: { deadline: Duration.minutes(10) } })))
        )
        assert.strictEqual(error._tag, "NoSession")
        assert.include(error.message, "Make a new key")
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* tagOf(letTime(first.read)), "NoSession")
        const next = yield* world.boot({ apiKey })
        assert.strictEqual(yield* tagOf(letTime(next.read)), "NoSession")
        assert.strictEqual(yield* exchanges(world), 1)
        // A new one starts the session.
        yield* next.tokens.start(yield* world.emulator.issueApiKey())
        yield* next.read
      })
    )
  }
})

describe("a source of API keys", () => {
  it.effect("a key from a source is kept if it never arrived, and the source is not called again", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      let fetches = 0
      const source = {
        next: () => Effect.asSome(Effect.tap(world.emulator.issueApiKey(), () => Effect.sync(() => fetches++)))
      }
      yield* world.emulator.faults.next("authentication.generateTokens", Fault.neverArrived())
      const { read } = yield* world.boot({ source })
      assert.strictEqual(yield* tagOf(letTime(read)), "RefreshUnavailable")
      yield* TestClock.adjust("1 second")
      yield* letTime(read)
      assert.strictEqual(fetches, 1)
    })
  )

  it.effect("a source that returns a spent key is called once per pause", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const apiKey = yield* world.emulator.issueApiKey()
      yield* world.emulator.faults.next("authentication.generateTokens", Fault.answerLost())
      let fetches = 0
      const source = { next: () => (fetches++ < 5 ? Effect.succeedSome(apiKey) : Effect.never) }
      const { read } = yield* world.boot({ source })
      assert.strictEqual(yield* tagOf(letTime(read)), "NoSession")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(yield* tagOf(letTime(read)), "NoSession")
      assert.strictEqual(fetches, 2)
      assert.strictEqual(yield* exchanges(world), 1)
    })
  )
})
