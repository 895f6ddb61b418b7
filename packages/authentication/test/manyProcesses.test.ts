import { Environment } from "@effect-custody/core"
import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../../test/support/worlds/sessionWorld.ts"

describe("many processes", () => {
  it.effect("another process takes over within 12 seconds after the holder of the lease dies", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const dying = yield* world.started({ store: world.place.dyingAfter(4) })
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.neverArrived("ECONNRESET"))
      yield* Effect.forkChild(Effect.exit(dying.read))
      yield* pass(100)
      const next = yield* world.boot()
      const reading = yield* Effect.forkChild(next.read)
      yield* pass(9_500, 50)
      assert.isUndefined(reading.pollUnsafe())
      yield* pass(2_500, 50)
      assert.isDefined(reading.pollUnsafe())
      yield* Fiber.join(reading)
    })
  )

  it.effect("the stale generation of a copied store is refused, and the error says when it was obtained", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* world.started()
      const copy = yield* world.place.record
      yield* TestClock.adjust("1 minute")
      yield* tokens.rotate(0)
      yield* world.place.put(copy)
      const stranger = yield* world.boot()
      const error = yield* Effect.flip(stranger.tokens.rotate(0))
      assert.strictEqual(error._tag, "SessionLost")
      assert.include(error.message, "1970-01-01T00:00:00.000Z")
      assert.include(error.message, "an older copy")
    })
  )

  it.effect("a store with another environment's session fails the layer before anything is sent", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      yield* world.started()
      const before = yield* world.place.record
      const requests = (yield* world.emulator.counts).requests
      const environment = Environment.emulator("http://127.0.0.1:4011/api/integration")
      assert.strictEqual(yield* tagOf(world.boot({ environment })), "SessionOfAnotherEnvironment")
      assert.deepStrictEqual(yield* world.place.record, before)
      assert.strictEqual((yield* world.emulator.counts).requests, requests)
    })
  )

  it.effect("a store that gets another environment's session later fails the call before anything is sent", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* world.started()
      const stored = yield* world.place.record
      yield* world.place.put({ ...stored!, environment: "https://other.custody.example/api/integration" })
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "SessionOfAnotherEnvironment")
      assert.strictEqual(yield* tagOf(tokens.reload(0)), "SessionOfAnotherEnvironment")
      assert.strictEqual((yield* world.emulator.counts).refreshes, 0)
    })
  )

  it.effect(
    "after a first start at a wrong address that accepted nothing, a start at the right one uses the store",
    () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const apiKey = yield* world.emulator.issueApiKey()
        const wrong = yield* world.boot({
          apiKey,
          environment: Environment.emulator("http://127.0.0.1:4011/api/wrong"),
          http: HttpClient.make((request) =>
            Effect.succeed(HttpClientResponse.fromWeb(request, new Response("no such site", { status: 404 })))
          )
        })
        assert.notStrictEqual(yield* tagOf(letTime(wrong.read)), "Succeeded")
        yield* wrong.close
        yield* (yield* world.boot({ apiKey })).read
        assert.strictEqual((yield* world.place.record).environment, String(world.emulator.environment.baseUrl))
      })
  )

  it.effect("a process adopts the session of an operator without a restart", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { events, read, tokens } = yield* world.started()
      yield* world.emulator.revokeSessions
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* tagOf(letTime(read)), "InvalidAccessToken")
      const operator = yield* world.boot()
      yield* operator.tokens.start(yield* world.emulator.issueApiKey())
      yield* read
      assert.strictEqual((yield* tokens.current).generation, 1)
      assert.deepInclude(events, { _tag: "Adopted", generation: 1 })
    })
  )

  it.effect("a process whose session was lost adopts the session that an operator has started", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read, tokens } = yield* world.started()
      yield* world.emulator.revokeSessions
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "SessionLost")
      const operator = yield* world.boot()
      yield* operator.tokens.start(yield* world.emulator.issueApiKey())
      yield* read
      assert.strictEqual((yield* tokens.status).state, "serving")
    })
  )

  it.effect("a start with a spent API key returns the existing session", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const apiKey = yield* world.emulator.issueApiKey()
      const { events, tokens } = yield* world.boot({ apiKey })
      yield* Effect.all([tokens.start(apiKey), tokens.start(apiKey), tokens.current], { concurrency: "unbounded" })
      yield* pass(100)
      assert.deepStrictEqual(events, [{ _tag: "Started", generation: 0 }])
      assert.strictEqual((yield* world.emulator.counts).requests, 1)
      assert.strictEqual(yield* tagOf(tokens.start(Redacted.make(""))), "NoSession")
      assert.strictEqual(yield* tagOf(tokens.start(Redacted.make("k".repeat(256)))), "NoSession")
      assert.strictEqual((yield* world.emulator.counts).requests, 1)
    })
  )
})
