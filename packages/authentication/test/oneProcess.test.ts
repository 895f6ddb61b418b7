import { TokenStore } from "@effect-custody/authentication"
import { Fault } from "@effect-custody/emulator"
import { Custody, SessionEvents, TokenService, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../../test/support/worlds/sessionWorld.ts"
import { atExpiry } from "./manyCalls.ts"

const expired = Fault.answered({ status: 498, body: { status: 498, code: "E40003", message: "", errors: {} } })

describe("one process", () => {
  it.effect("1,000 concurrent 498s cause exactly one refresh, and every replay succeeds", () => atExpiry(1_000))

  it.effect("a late 498 for a replaced generation causes a replay, and no refresh", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read, tokens } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* read
      assert.strictEqual((yield* tokens.rotate(0)).generation, 1)
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
    })
  )

  it.effect("a rotation whose first caller is interrupted continues, and its other callers get the token", () =>
    Effect.gen(function* () {
      for (let steps = 0; steps < 40; steps += 3) {
        const world = yield* makeWorld()
        const { tokens } = yield* world.started()
        const starter = yield* Effect.forkChild(tokens.rotate(0))
        const joiner = yield* Effect.forkChild(tokens.rotate(0))
        const another = yield* Effect.forkChild(tokens.rotate(0))
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(starter)
        yield* Fiber.interrupt(another)
        assert.strictEqual((yield* Fiber.join(joiner)).generation, 1)
        assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
      }
    })
  )

  it.effect("settled waits for a refresh whose caller has given up, and is at once done without a refresh", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens, use } = yield* world.started({ timing: { proactive: false } })
      yield* use(Custody.settled)
      yield* world.fault(Fault.delayed({ answer: "5 seconds" }))
      const caller = yield* Effect.forkChild(tokens.rotate(0))
      // Also before the refresh has begun to run.
      const settling = yield* Effect.forkChild(use(Custody.settled))
      yield* pass(100)
      yield* Fiber.interrupt(caller)
      yield* pass(4_000, 100)
      assert.isUndefined(settling.pollUnsafe())
      yield* pass(1_500, 100)
      yield* Fiber.join(settling)
      assert.strictEqual((yield* world.place.record).session?.generation, 1)
      assert.isUndefined((yield* world.place.record).lease)
    })
  )

  it.effect("settled waits until the store has the tokens that calls use from memory, within a bound", () =>
    Effect.gen(function* () {
      for (const outage of [8_000, undefined]) {
        const world = yield* makeWorld()
        const { tokens, use } = yield* world.started({ timing: { proactive: false } })
        // The claim is written, and the new tokens are not.
        yield* world.place.next("compareAndSwap", undefined)
        const caller = yield* Effect.forkChild(tokens.rotate(0))
        while ((yield* world.emulator.counts).refreshes === 0) yield* TestClock.adjust(1)
        yield* world.place.broken("compareAndSwap")
        yield* pass(3_000, 100)
        assert.strictEqual((yield* Fiber.join(caller)).generation, 1)
        assert.strictEqual((yield* tokens.status).state, "unpersisted")
        const settling = yield* Effect.forkChild(use(Custody.settled))
        yield* pass(outage ?? 44_000, 500)
        assert.isUndefined(settling.pollUnsafe())
        if (outage !== undefined) yield* world.place.broken(undefined)
        yield* pass(3_000, 100)
        yield* Fiber.join(settling)
        assert.strictEqual((yield* world.place.record).session?.generation, outage === undefined ? 0 : 1)
        yield* world.place.broken(undefined)
      }
    })
  )

  it.effect("a layer that closes during a rotation waits for the answer, and stores it", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { close, tokens } = yield* world.started()
      yield* world.fault(Fault.delayed({ answer: "5 seconds" }))
      const caller = yield* Effect.forkChild(Effect.exit(tokens.rotate(0)))
      yield* pass(100)
      const closing = yield* Effect.forkChild(close)
      yield* pass(100)
      assert.isUndefined(closing.pollUnsafe())
      yield* pass(5_000, 100)
      yield* Fiber.join(closing)
      assert.isDefined(caller.pollUnsafe())
      assert.strictEqual((yield* world.place.record).session?.generation, 1)
      assert.isUndefined((yield* world.place.record).lease)
    })
  )

  it.effect("a closing layer waits for a slow answer for 30 seconds more at most", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { close, tokens } = yield* world.started()
      yield* world.fault(Fault.silence())
      yield* Effect.forkChild(Effect.exit(tokens.rotate(0)))
      yield* pass(40_000, 250)
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
      const closing = yield* Effect.forkChild(close)
      yield* pass(29_000, 250)
      assert.isUndefined(closing.pollUnsafe())
      yield* pass(2_000, 250)
      assert.isDefined(closing.pollUnsafe())
      assert.isTrue((yield* world.place.record).intent?.ambiguous)
    })
  )

  it.effect("two clients share one session through the store, and each outlives the other", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const store = world.place.store()
      const one = yield* world.started({ store })
      const two = yield* world.boot({ store })
      yield* world.emulator.expireTokens
      yield* letTime(Effect.all([one.read, two.read], { concurrency: "unbounded" }))
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
      const tags = [...one.events, ...two.events].filter(({ generation }) => generation === 1).map(({ _tag }) => _tag)
      assert.sameMembers(tags, ["Rotated", "Adopted"])
      yield* one.close
      yield* world.emulator.expireTokens
      yield* two.read
      assert.strictEqual((yield* two.tokens.current).generation, 2)
      yield* two.close
      assert.strictEqual(yield* tagOf(two.tokens.rotate(2)), "RefreshUnavailable")
      const three = yield* world.boot({ store })
      yield* three.read
    })
  )

  it.effect("an event handler that calls the API during a rotation does not block it", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read, tokens } = yield* world.started()
      const handled: Array<string> = []
      yield* Effect.forkChild(
        Stream.runForEach(SessionEvents.stream, ({ _tag }) =>
          Effect.andThen(
            read,
            Effect.sync(() => handled.push(_tag))
          )
        ).pipe(Effect.provideService(TokenService, tokens))
      )
      yield* Effect.yieldNow
      yield* world.emulator.expireTokens
      yield* letTime(read)
      yield* pass(100)
      assert.deepStrictEqual(handled, ["Rotated"])
    })
  )

  it.effect("a defect in a rotation fails its callers with a typed error, and the next call tries again", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      let isDefect = false
      const http = HttpClient.make((request, url) =>
        isDefect && url.pathname.endsWith("refresh-token") ? Effect.die("a defect") : world.http.execute(request)
      )
      const { tokens } = yield* world.started({ http })
      isDefect = true
      // Whatever went wrong, the token may be on its way: it is in doubt, not lost.
      assert.strictEqual(yield* tagOf(letTime(tokens.rotate(0))), "SessionAmbiguous")
      isDefect = false
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* tokens.rotate(0)).generation, 1)
    })
  )

  it.effect("if the service answers 498 to everything, rotations pause after the first few", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* world.started()
      yield* world.emulator.faults.next("vaults.details", expired, { times: 40 })
      const ends: Array<string> = []
      for (let call = 0; call < 20; call++) ends.push(yield* tagOf(letTime(read)))
      assert.deepStrictEqual([...new Set(ends)], ["TokenExpired", "RefreshUnavailable"])
      assert.strictEqual((yield* world.emulator.counts).refreshes, 5)
      // Then one in 5 seconds.
      for (const refreshes of [6, 7]) {
        yield* TestClock.adjust("5 seconds")
        for (let call = 0; call < 5; call++) yield* tagOf(letTime(read))
        assert.strictEqual((yield* world.emulator.counts).refreshes, refreshes)
      }
      // The service has recovered: the existing token works.
      yield* world.emulator.faults.clear
      yield* letTime(read)
      assert.strictEqual((yield* world.emulator.counts).refreshes, 7)
    })
  )

  it.effect("no tenant waits for another tenant's dead session or slow store, or gets its token", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const stored = world.place.store()
      const store = TokenStore.of({
        load: (identity) => (identity === "slow" ? Effect.never : stored.load(identity)),
        compareAndSwap: stored.compareAndSwap
      })
      const keys = new Map<string, Redacted.Redacted>()
      const names = Array.from({ length: 200 }, (_, index) => `tenant-${index}`)
      for (const [index, name] of names.entries()) {
        keys.set(name, yield* world.emulator.issueApiKey({ vaultId: index + 1 }))
      }
      const clients = yield* Custody.makeLayerMap(
        (name) => ({
          environment: world.emulator.environment,
          ...(keys.has(name) ? { apiKey: keys.get(name)! } : {})
        }),
        { idleTimeToLive: "1 minute" }
      ).pipe(Effect.provideService(TokenStore, store), Effect.provideService(HttpClient.HttpClient, world.http))
      const read = (name: string) => Effect.provide(Vaults.details(), clients.get(name))
      const readAll = Effect.forEach(
        names,
        (name, index) => Effect.map(read(name), ({ id }) => assert.strictEqual<unknown>(id, String(index + 1))),
        { concurrency: "unbounded" }
      )
      const slow = yield* Effect.forkChild(Effect.exit(read("slow")))
      assert.strictEqual(yield* tagOf(read("dead")), "NoSession")
      yield* readAll
      yield* world.emulator.expireTokens
      yield* readAll
      assert.isUndefined(slow.pollUnsafe())
      // Every session was used by its own tenant only, and rotated once.
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 200, rotations: 200 })
      const sessions = yield* world.emulator.sessions
      assert.isTrue(sessions.every(({ generation, revoked }) => generation === 1 && !revoked))
      const own = yield* world.place.inner.load("tenant-7")
      assert.strictEqual(Option.getOrThrow(own).record.session?.vaultId, 8)
      yield* Fiber.interrupt(slow)
    })
  )

  it.effect("a call waits for a new token that is not accepted for a second, and is sent once more", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ quirks: { accessTokenActivation: "900 millis" } })
      const { read } = yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
      yield* letTime(read)
      yield* TestClock.adjust("1 minute")
      yield* world.emulator.expireTokens
      yield* letTime(read)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )
})
