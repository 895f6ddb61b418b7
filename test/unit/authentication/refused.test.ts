import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../support/worlds/sessionWorld.ts"

describe("a refresh token that was refused", () => {
  it.effect("29 · a backup brings back a lost session: it is reported as lost, and its token not sent again", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { events, tokens } = yield* world.started()
      const backup = yield* world.place.record
      yield* world.emulator.revokeSessions
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "SessionLost")
      yield* tokens.start(yield* world.emulator.issueApiKey())
      yield* world.emulator.revokeSessions
      assert.strictEqual(yield* tagOf(tokens.rotate(1)), "SessionLost")
      yield* world.place.put(backup)
      assert.strictEqual(yield* tagOf(tokens.current), "SessionLost")
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "SessionLost")
      assert.notDeepInclude(events, { _tag: "Adopted", generation: 0 })
      assert.strictEqual((yield* world.emulator.counts).refreshes, 2)
    })
  )

  it.effect("29 · nor is it adopted in place of a live session whose token is rejected for a moment", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { events, read, tokens } = yield* world.started()
      const backup = yield* world.place.record
      yield* world.emulator.revokeSessions
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "SessionLost")
      yield* tokens.start(yield* world.emulator.issueApiKey())
      yield* TestClock.adjust("1 minute")
      yield* world.place.put(backup)
      yield* world.emulator.faults.next(
        "vaults.details",
        Fault.answered({ status: 401, body: { code: "E40001", status: 401, message: "", errors: {} } })
      )
      yield* Effect.exit(letTime(read))
      assert.notDeepInclude(events, { _tag: "Adopted", generation: 0 })
      yield* read
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
    })
  )
})

describe("a session that the service has revoked", () => {
  it.effect("66 · gives way to the session in the store, even if that has its number and the time of its start", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* world.started()
      const before = yield* world.place.record
      yield* TestClock.adjust("1 minute")
      yield* world.emulator.revokeSessions
      // On a restored store, started by a process whose clock is behind: the next time after the last one it knows.
      yield* world.place.put({ environment: before.environment, spentKeys: [] })
      const other = yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
      yield* other.read
      const { session, ...record } = yield* world.place.record
      const { startedAt } = before.session!
      yield* world.place.put({ ...record, session: { ...session!, startedAt: startedAt! } })
      assert.strictEqual(session!.generation, before.session!.generation)
      yield* read
    })
  )

  it.effect("66 · also while the process that has started that one refreshes it: it is not written over", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const behind = yield* world.started()
      const theirs = yield* world.place.record
      yield* world.place.put({ environment: theirs.environment, spentKeys: [] })
      yield* TestClock.adjust("10 seconds")
      const revoked = yield* world.started()
      yield* world.place.put(theirs)
      yield* TestClock.adjust("2 seconds")
      yield* world.fault(Fault.delayed({ answer: "1 second" }))
      const refreshing = yield* Effect.forkChild(behind.tokens.rotate(0))
      yield* pass(200)
      assert.isDefined((yield* world.place.record).lease)
      const unauthorized = { code: "E01401", status: 401, message: "", errors: {} }
      yield* world.emulator.faults.next("vaults.details", Fault.answered({ status: 401, body: unauthorized }))
      yield* letTime(revoked.read)
      yield* letTime(Fiber.join(refreshing))
      const { end, session } = yield* world.place.record
      assert.deepStrictEqual([session?.startedAt, end], [theirs.session?.startedAt, undefined])
    })
  )

  it.effect("is reported as refused from the first 401 without a newer token, and as lost from the refresh", () =>
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

  it.effect(
    "with an API key at hand that was never sent: the status, the error and a log line say how to start",
    () => {
      const lines: Array<string> = []
      return Effect.gen(function* () {
        const world = yield* makeWorld()
        yield* (yield* world.started()).close
        yield* TestClock.adjust("2 minutes")
        yield* world.emulator.revokeSessions
        const without = yield* world.boot()
        assert.isFalse((yield* without.tokens.status).hasUnusedKey)
        const refused = yield* Effect.flip(without.read)
        // The command works on session files only: with another store it would spend the key into a file.
        const how = "TokenService.start or, for a session file, custody session start --replace"
        assert.include(refused.message, `start another session with an unused API key: ${how}`)

        const apiKey = yield* world.emulator.issueApiKey()
        const { read, tokens } = yield* world.boot({ apiKey })
        assert.isTrue((yield* tokens.status).hasUnusedKey)
        for (let call = 0; call < 2; call++) {
          assert.strictEqual(yield* tagOf(read), "InvalidAccessToken")
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
    }
  )

  it.effect("and was not revoked after all: it serves again once an answer shows that the token is accepted", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read, tokens } = yield* world.started()
      yield* TestClock.adjust("1 minute")
      yield* world.emulator.faults.next(
        "vaults.details",
        Fault.answered({ status: 401, body: { code: "E40001", status: 401, message: "", errors: {} } })
      )
      assert.strictEqual(yield* tagOf(read), "InvalidAccessToken")
      assert.strictEqual((yield* tokens.status).state, "refused")
      yield* read
      assert.strictEqual((yield* tokens.status).state, "serving")
    })
  )
})

describe("a process that has just started", () => {
  it.effect("39 · with a session that is not new: rejected, its token is not waited for", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      yield* world.started()
      yield* TestClock.adjust("2 minutes")
      yield* world.emulator.revokeSessions
      const second = yield* world.boot()
      const reading = yield* Effect.forkChild(tagOf(second.read))
      yield* pass(100)
      assert.deepStrictEqual(reading.pollUnsafe(), Exit.succeed("InvalidAccessToken"))
      assert.strictEqual((yield* second.tokens.status).state, "refused")
    })
  )

  it.effect("39 · holds a token that may be new: rejected, it is tried once more before its doubtful one is sent", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ quirks: { accessTokenActivation: "900 millis" } })
      const first = yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
      yield* letTime(first.read)
      yield* TestClock.adjust("1 minute")
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.edited({ data: { refreshToken: null } }))
      yield* first.tokens.rotate(0)
      const second = yield* world.boot()
      yield* letTime(second.read)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )
})
