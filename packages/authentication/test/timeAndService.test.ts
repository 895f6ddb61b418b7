import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../../test/support/worlds/sessionWorld.ts"

const refusal = (status: number, code: string | undefined, acts = false) =>
  Fault.answered({ status, acts, body: { status, message: "no", errors: {}, ...(code === undefined ? {} : { code }) } })

describe("time", () => {
  it.effect("a background refresh replaces the token before it expires, while calls use the old one", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ tokenLifetime: "10 minutes" })
      const { read, tokens } = yield* world.started()
      yield* TestClock.adjust("530 seconds")
      yield* pass(100)
      assert.strictEqual((yield* world.emulator.counts).refreshes, 0)
      yield* TestClock.adjust("25 seconds")
      yield* pass(100)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
      assert.strictEqual((yield* tokens.current).generation, 1)
      yield* read
    })
  )

  it.effect("with proactive: false, only a call refreshes, however long the token has expired", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ tokenLifetime: "10 minutes" })
      const { read } = yield* world.started({ timing: { proactive: false } })
      yield* TestClock.adjust("2 hours")
      yield* pass(500)
      assert.strictEqual((yield* world.emulator.counts).refreshes, 0)
      yield* letTime(read)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )

  it.effect("a wrong clock causes no storm of refreshes, and a 498 still refreshes", () =>
    Effect.gen(function* () {
      for (const wrong of [-7 * 24 * 3_600_000, -900_000, 900_000, 20 * 366 * 24 * 3_600_000]) {
        const world = yield* makeWorld()
        const now = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
        yield* world.emulator.faults.next(
          "authentication.generateTokens",
          Fault.edited({ data: { expiresAt: now + 900_000 - wrong } })
        )
        const { read } = yield* world.started()
        yield* TestClock.adjust("1 minute")
        yield* pass(500)
        assert.isAtMost((yield* world.emulator.counts).refreshes, 1)
        yield* world.emulator.expireTokens
        yield* letTime(read)
        assert.isAtMost((yield* world.emulator.counts).refreshes, 2)
      }
    })
  )

  it.effect("a short-lived token is refreshed in its last fifth, and below five seconds only by a 498", () =>
    Effect.gen(function* () {
      const short = yield* makeWorld({ tokenLifetime: "30 seconds" })
      yield* short.started()
      for (let second = 0; second < 23; second++) yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* short.emulator.counts).refreshes, 0)
      yield* pass(3_000, 100)
      assert.strictEqual((yield* short.emulator.counts).refreshes, 1)
      const shorter = yield* makeWorld({ tokenLifetime: "1 second" })
      const { read } = yield* shorter.started()
      yield* pass(10_000, 100)
      assert.strictEqual((yield* shorter.emulator.counts).refreshes, 0)
      yield* read
      assert.strictEqual((yield* shorter.emulator.counts).refreshes, 1)
    })
  )
})

describe("the service", () => {
  const unchanged = [
    { name: "429", fault: Fault.rateLimited("3 seconds") },
    { name: "401 E40001", fault: refusal(401, "E40001") },
    { name: "403 HTML", fault: Fault.html({ status: 403 }) },
    { name: "422 without a code", fault: refusal(422, undefined) }
  ]
  for (const { fault, name } of unchanged) {
    it.effect(`after ${name} to a refresh, which rotated nothing, the same token is sent after a pause`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const { read, tokens } = yield* world.started()
        yield* world.emulator.expireTokens
        yield* world.fault(fault)
        assert.strictEqual(yield* tagOf(letTime(read)), "RefreshUnavailable")
        assert.strictEqual(yield* tagOf(letTime(read)), "RefreshUnavailable")
        assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
        assert.strictEqual((yield* tokens.status).state, "serving")
        yield* TestClock.adjust("6 seconds")
        yield* letTime(read)
        assert.deepInclude(yield* world.emulator.counts, { refreshes: 2, rotations: 1 })
      })
    )
  }

  const uncertain = [
    { name: "503 HTML", fault: Fault.html({ status: 503 }) },
    { name: "500 E01402", fault: refusal(500, "E01402") },
    { name: "a redirect", fault: Fault.answered({ status: 302, headers: { location: "https://elsewhere.example" } }) },
    { name: "no answer", fault: Fault.silence({ acts: false }) }
  ]
  for (const { fault, name } of uncertain) {
    it.effect(`after ${name} to a refresh, which is in doubt, the same token is sent once more`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const { events, read } = yield* world.started({ timing: { requestTimeout: Duration.seconds(30) } })
        yield* world.emulator.expireTokens
        yield* world.fault(fault)
        yield* letTime(read, 500)
        assert.deepInclude(yield* world.emulator.counts, { refreshes: 2, rotations: 1 })
        assert.deepStrictEqual(
          events.map(({ _tag }) => _tag),
          ["Started", "Ambiguous", "Rotated"]
        )
      })
    )
  }

  for (const [status, seconds] of [
    [503, 20],
    [500, 600]
  ] as const) {
    it.effect(`after a ${status} with a Retry-After of ${seconds} s to a refresh, the process waits that long`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const one = yield* world.started()
        yield* world.emulator.expireTokens
        yield* world.fault(Fault.answered({ status, headers: { "retry-after": `${seconds}` } }))
        for (let round = 0; round < 2; round++) {
          assert.strictEqual(yield* tagOf(letTime(one.tokens.rotate(0))), "SessionAmbiguous")
          assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
          yield* TestClock.adjust(`${seconds / 2 - 1} seconds`)
        }
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual((yield* letTime(one.tokens.rotate(0))).generation, 1)
        assert.strictEqual((yield* world.emulator.counts).refreshes, 2)
      })
    )
  }

  for (const [requested, kept] of [
    [600, 600],
    [36_000, 3_600]
  ] as const) {
    it.effect(`after a 429 with a Retry-After of ${requested} s to a refresh, nothing is sent for ${kept} s`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const { tokens } = yield* world.started()
        yield* world.emulator.expireTokens
        yield* world.fault(Fault.answered({ status: 429, headers: { "retry-after": `${requested}` } }))
        assert.strictEqual(yield* tagOf(letTime(tokens.rotate(0))), "RefreshUnavailable")
        yield* TestClock.adjust(`${kept - 1} seconds`)
        assert.strictEqual(yield* tagOf(tokens.rotate(0)), "RefreshUnavailable")
        assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* letTime(tokens.rotate(0))).generation, 1)
      })
    )
  }

  it.effect("after a 422 E00402 to a refresh the stored token counts as malformed, and is not sent again", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.fault(refusal(422, "E00402"))
      assert.strictEqual(yield* tagOf(letTime(read)), "StoredSessionInvalid")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* tagOf(letTime(read)), "StoredSessionInvalid")
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
      assert.strictEqual((yield* world.place.record).session?.generation, 0)
    })
  )

  it.effect("an answer without a refresh token is in doubt, and an answer with the same one is used", () =>
    Effect.gen(function* () {
      for (const again of [false, true]) {
        const world = yield* makeWorld({ quirks: { refreshReuseGrace: "1 hour" } })
        const { events, read } = yield* world.started()
        const { refreshToken } = (yield* world.place.record).session!
        yield* world.emulator.expireTokens
        yield* world.fault(Fault.edited({ data: { refreshToken: again ? Redacted.value(refreshToken) : null } }))
        yield* letTime(read)
        assert.deepStrictEqual(
          events.map(({ _tag }) => _tag),
          again ? ["Started", "Rotated"] : ["Started", "Ambiguous", "Rotated"]
        )
        assert.strictEqual((yield* world.place.record).session?.generation, 1)
      }
    })
  )
})

describe("options", () => {
  it.effect.each([
    { identity: "" },
    { identity: "x".repeat(256) },
    { identity: "one \ud800 half" },
    { apiKey: Redacted.make("") },
    { apiKey: Redacted.make("k".repeat(256)) },
    { timing: { leaseTimeout: Duration.zero } },
    { timing: { requestTimeout: Duration.infinity } },
    { timing: { cooldown: Duration.seconds(-1) } },
    { timing: { proactive: 0 as unknown as boolean } }
  ])("the options %o fail the layer before anything is sent", (options) =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const error = yield* Effect.flip(world.boot(options))
      assert.strictEqual(error._tag, "ConfigurationInvalid")
      assert.include(error.message, Object.keys(options)[0]!)
      assert.strictEqual((yield* world.emulator.counts).requests, 0)
    })
  )
})
