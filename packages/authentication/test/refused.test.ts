import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, tagOf } from "../../../test/support/worlds/sessionWorld.ts"

describe("a session that the service has revoked", () => {
  it.effect("a revoked session is refused from the first 401 without a newer token, and lost from the refresh", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read, tokens } = yield* world.started()
      yield* TestClock.adjust("1 minute")
      yield* world.emulator.revokeSessions
      assert.strictEqual((yield* tokens.status).state, "serving")
      assert.strictEqual(yield* tagOf(read), "InvalidAccessToken")
      assert.strictEqual((yield* tokens.status).state, "refused")
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "SessionLost")
      assert.strictEqual((yield* tokens.status).state, "lost")
    })
  )

  it.effect("status, error and log line of a refused session say how to start with an unused API key", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const world = yield* makeWorld()
      yield* (yield* world.started()).close
      yield* TestClock.adjust("2 minutes")
      yield* world.emulator.revokeSessions
      const without = yield* world.boot()
      assert.isFalse((yield* without.tokens.status).hasUnusedKey)
      const refused = yield* Effect.flip(letTime(without.read))
      // The command works on session files only: with another store it would spend the key into a file.
      const how = "TokenService.start or, for a session file, custody session start --replace"
      assert.include(refused.message, `start another session with an unused API key: ${how}`)

      const apiKey = yield* world.emulator.issueApiKey()
      const { read, tokens } = yield* world.boot({ apiKey })
      assert.isTrue((yield* tokens.status).hasUnusedKey)
      for (let call = 0; call < 2; call++) {
        const error = yield* Effect.flip(letTime(read))
        assert(error._tag === "InvalidAccessToken", error._tag)
        assert.include(error.message, `start another session with an unused API key: ${how}`)
      }
      assert.strictEqual((yield* tokens.status).state, "refused")
      assert.lengthOf(
        lines.filter((line) => line.includes("default, generation 0: the configured API key was never sent. To do:")),
        1
      )
      assert.isTrue(lines.every((line) => line.includes(`start another session with an unused API key: ${how}`)))
      yield* letTime(tokens.start(apiKey))
      yield* read
      assert.deepInclude(yield* tokens.status, { state: "serving", hasUnusedKey: false })
      const { tokens: later } = yield* world.boot({ apiKey })
      assert.isFalse((yield* later.status).hasUnusedKey)
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])))
  })
})
