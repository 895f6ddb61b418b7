import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../../test/support/worlds/sessionWorld.ts"

/** The failures of an answer to a refresh after the service has rotated. */
const lost = [
  { name: "the service rotated, and the answer is lost", fault: Fault.answerLost() },
  { name: "the answer's body is cut off", fault: Fault.truncated(20) },
  { name: "a 201 that does not decode", fault: Fault.edited({ data: { accessToken: null, refreshToken: null } }) },
  { name: "a 201 that is no JSON", fault: Fault.answered({ status: 201, body: "ok", acts: true }) },
  { name: "the service rotated and answers 502", fault: Fault.serverError({ status: 502, acts: true }) }
]

describe("a rotation whose answer is lost", () => {
  for (const { fault, name } of lost) {
    it.effect(`${name}: a refresh is attempted once more, then the loss is reported with its time`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const { events, read, tokens } = yield* world.started()
        yield* world.emulator.expireTokens
        yield* world.fault(fault)
        const error = yield* Effect.flip(letTime(read))
        assert.strictEqual(error._tag, "SessionLost")
        assert.isTrue(error._tag === "SessionLost" && error.answerLostAt !== undefined)
        assert.deepInclude(yield* world.emulator.counts, { refreshes: 2, rotations: 1 })
        assert.deepStrictEqual(
          events.map(({ _tag }) => _tag),
          ["Started", "Ambiguous", "Lost"]
        )
        assert.strictEqual((yield* tokens.status).state, "lost")
        // The record keeps the session, and later calls fail without a request.
        assert.strictEqual((yield* world.place.record).session?.generation, 0)
        assert.strictEqual(yield* tagOf(letTime(read)), "SessionLost")
        assert.strictEqual((yield* world.emulator.counts).refreshes, 2)
      })
    )
  }

  it.effect("after a lost answer the refresh token is not sent again while the access token is valid", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ tokenLifetime: "10 minutes" })
      const { read, tokens } = yield* world.started()
      yield* world.fault(Fault.answerLost())
      yield* TestClock.adjust("570 seconds")
      yield* pass(500)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
      assert.strictEqual((yield* tokens.status).state, "ambiguous")
      yield* letTime(read, 1)
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
      assert.isTrue((yield* world.place.record).intent?.ambiguous)
      // Another process knows the doubt from the record, and does not send the token either.
      const other = yield* world.boot()
      yield* pass(100)
      assert.strictEqual((yield* other.tokens.status).state, "ambiguous")
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
    })
  )

  it.effect("two refreshes without an answer cause SessionAmbiguous, and a pause before the next attempt", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.serverError(), 2)
      assert.strictEqual(yield* tagOf(letTime(read)), "SessionAmbiguous")
      assert.strictEqual((yield* world.emulator.counts).refreshes, 2)
      assert.strictEqual(yield* tagOf(letTime(read, 1)), "SessionAmbiguous")
      assert.strictEqual((yield* world.emulator.counts).refreshes, 2)
      yield* TestClock.adjust("6 seconds")
      yield* letTime(read)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 3, rotations: 1 })
    })
  )
})

describe("a process that dies, and a store that fails", () => {
  it.effect("an API key that never arrived is sent again, and a warning names the address", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const world = yield* makeWorld()
      yield* world.emulator.faults.next("authentication.generateTokens", Fault.neverArrived())
      const { read } = yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
      const error = yield* Effect.flip(read)
      assert(error._tag === "RefreshUnavailable", error._tag)
      assert.include(error.message, "the API key could not be exchanged")
      yield* TestClock.adjust("1 second")
      yield* letTime(read)
      const { baseUrl } = world.emulator
      assert.include(
        lines.join("\n"),
        `default: the API key could not be exchanged at ${baseUrl} (ECONNREFUSED, nothing listens at the address). To do: check the address`
      )
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])))
  })

  it.effect(
    "if the store fails after a rotation, calls go on, the failure is reported, and the session is stored later",
    () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const { events, read, tokens } = yield* world.started()
        yield* world.emulator.expireTokens
        yield* world.place.next("compareAndSwap", undefined, ...Array.from({ length: 5 }, () => "before" as const))
        yield* letTime(read, 1)
        assert.strictEqual((yield* tokens.status).state, "unpersisted")
        assert.strictEqual((yield* world.place.record).session?.generation, 0)
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* tokens.status).state, "serving")
        assert.strictEqual((yield* world.place.record).session?.generation, 1)
        assert.deepStrictEqual(
          events.map(({ _tag }) => _tag),
          ["Started", "NotPersisted", "Persisted"]
        )
      })
  )

  it.effect("a store that cannot be read, or never answers, fails the layer before anything is sent", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const apiKey = yield* world.emulator.issueApiKey()
      yield* world.place.next("load", "before", "hang")
      assert.strictEqual(yield* tagOf(world.boot({ apiKey })), "TokenStoreError")
      assert.strictEqual(yield* tagOf(letTime(Effect.scoped(world.boot({ apiKey })))), "TokenStoreError")
      assert.strictEqual((yield* world.emulator.counts).requests, 0)
      assert.isTrue(Option.isNone(yield* world.place.inner.load("default")))
    })
  )

  it.effect("a lost session starts again by itself with a source of API keys", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      let fetches = 0
      const source = {
        next: () => Effect.asSome(Effect.tap(world.emulator.issueApiKey(), () => Effect.sync(() => fetches++)))
      }
      const { events, read } = yield* world.started({ source })
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.answerLost())
      yield* letTime(
        Effect.all(
          Array.from({ length: 50 }, () => read),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(fetches, 1)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Started", "Ambiguous", "Lost", "Started"]
      )
      assert.strictEqual((yield* world.place.record).session?.generation, 1)
      assert.isUndefined((yield* world.place.record).end)
    })
  )

  it.effect("a source that fails, or returns no key or a bad key, is called at most once per pause", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      let fetches = 0
      const gives = [
        Effect.die("no"),
        Effect.succeedNone,
        Effect.succeedSome(Redacted.make("not a key of this service")),
        Effect.asSome(world.emulator.issueApiKey())
      ]
      const { read } = yield* world.boot({ source: { next: () => gives[Math.min(fetches++, 3)]! } })
      assert.strictEqual(yield* tagOf(read), "NoSession")
      assert.strictEqual(yield* tagOf(read), "NoSession")
      assert.strictEqual(fetches, 1)
      for (const tag of ["NoSession", "NoSession", "Succeeded"]) {
        yield* TestClock.adjust("6 seconds")
        assert.strictEqual(yield* tagOf(read), tag)
      }
      assert.strictEqual(fetches, 4)
    })
  )
})
