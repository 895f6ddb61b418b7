import { TokenStore } from "@effect-custody/authentication"
import { Fault } from "@effect-custody/emulator"
import { Custody, sessionEvents, TokenService, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../../test/support/worlds/sessionWorld.ts"
import { callsShareOneRefresh, rotationOutlivesItsCaller, tokensAreStoredBeforeUse } from "./oneProcess.ts"

const expired = Fault.answered({ status: 498, body: { status: 498, code: "E40003", message: "", errors: {} } })

describe("one process", () => {
  it.effect("1,000 concurrent 498s cause exactly one refresh, and every replay succeeds", () =>
    callsShareOneRefresh(1_000)
  )

  it.effect("a late 498 for a replaced generation causes a replay, and no refresh", () =>
    Effect.gen(function* () {
      const { emulator: service, started } = yield* makeWorld()
      const { read, tokens } = yield* started()
      yield* service.expireTokens
      yield* read
      assert.strictEqual((yield* tokens.rotate(0)).generation, 1)
      assert.strictEqual((yield* service.counts).refreshes, 1)
    })
  )

  it.effect(
    "a rotation whose first caller is interrupted continues, and its other callers get the token",
    () => rotationOutlivesItsCaller
  )

  it.effect("no call uses new tokens before they are stored", () => tokensAreStoredBeforeUse)

  it.effect("a start waits for the running rotation, and calls that get a 498 meanwhile wait for the start", () =>
    Effect.gen(function* () {
      const { emulator: service, fault, started } = yield* makeWorld()
      const { tokens } = yield* started({ timing: { proactive: false } })
      yield* fault(Fault.delayed({ answer: "2 seconds" }))
      const rotating = yield* Effect.forkChild(tokens.rotate(0))
      yield* pass(100)
      const starting = yield* Effect.forkChild(tokens.start(yield* service.issueApiKey()))
      yield* service.faults.next("authentication.generateTokens", Fault.delayed({ answer: "2 seconds" }))
      yield* pass(1_000, 100)
      yield* pass(1_500, 100)
      assert.strictEqual((yield* Fiber.join(rotating)).generation, 1)
      // The start runs now.
      const interrupted = yield* Effect.forkChild(tokens.rotate(1))
      const waiting = yield* Effect.forkChild(tokens.rotate(1))
      yield* pass(500, 100)
      assert.isUndefined(starting.pollUnsafe())
      assert.isUndefined(waiting.pollUnsafe())
      yield* Fiber.interrupt(interrupted)
      yield* pass(3_000, 100)
      assert.strictEqual((yield* Fiber.join(starting)).generation, 2)
      assert.strictEqual((yield* Fiber.join(waiting)).generation, 2)
      assert.strictEqual((yield* service.counts).refreshes, 1)
    })
  )

  it.effect("awaitStored waits for a refresh whose caller has given up, and is at once done without a refresh", () =>
    Effect.gen(function* () {
      const { fault, place: store, started } = yield* makeWorld()
      const { tokens, use } = yield* started({ timing: { proactive: false } })
      yield* use(Custody.awaitStored)
      yield* fault(Fault.delayed({ answer: "5 seconds" }))
      const caller = yield* Effect.forkChild(tokens.rotate(0))
      // Also before the refresh has begun to run.
      const settling = yield* Effect.forkChild(use(Custody.awaitStored))
      yield* pass(100)
      yield* Fiber.interrupt(caller)
      yield* pass(4_000, 100)
      assert.isUndefined(settling.pollUnsafe())
      yield* pass(1_500, 100)
      yield* Fiber.join(settling)
      assert.strictEqual((yield* store.record).session?.generation, 1)
      assert.isUndefined((yield* store.record).lease)
    })
  )

  it.effect("awaitStored waits until the store has the tokens that calls use from memory, within a bound", () =>
    Effect.gen(function* () {
      for (const outage of [8_000, undefined]) {
        const { emulator: service, place: store, started } = yield* makeWorld()
        const { tokens, use } = yield* started({ timing: { proactive: false } })
        // The claim is written, and the new tokens are not.
        yield* store.next("compareAndSwap", undefined)
        const caller = yield* Effect.forkChild(tokens.rotate(0))
        while ((yield* service.counts).refreshes === 0) yield* TestClock.adjust(1)
        yield* store.broken("compareAndSwap")
        yield* pass(3_000, 100)
        assert.strictEqual((yield* Fiber.join(caller)).generation, 1)
        assert.strictEqual((yield* tokens.status).state, "unpersisted")
        const settling = yield* Effect.forkChild(use(Custody.awaitStored))
        yield* pass(outage ?? 44_000, 500)
        assert.isUndefined(settling.pollUnsafe())
        if (outage !== undefined) yield* store.broken(undefined)
        yield* pass(3_000, 100)
        yield* Fiber.join(settling)
        assert.strictEqual((yield* store.record).session?.generation, outage === undefined ? 0 : 1)
        yield* store.broken(undefined)
      }
    })
  )

  it.effect("a layer that closes during a rotation waits for the answer, and stores it", () =>
    Effect.gen(function* () {
      const { fault, place: store, started } = yield* makeWorld()
      const { close, tokens } = yield* started()
      yield* fault(Fault.delayed({ answer: "5 seconds" }))
      const caller = yield* Effect.forkChild(Effect.exit(tokens.rotate(0)))
      yield* pass(100)
      const closing = yield* Effect.forkChild(close)
      yield* pass(100)
      assert.isUndefined(closing.pollUnsafe())
      yield* pass(5_000, 100)
      yield* Fiber.join(closing)
      assert.isDefined(caller.pollUnsafe())
      assert.strictEqual((yield* store.record).session?.generation, 1)
      assert.isUndefined((yield* store.record).lease)
    })
  )

  it.effect("a closing layer waits for a slow answer for 30 seconds more at most", () =>
    Effect.gen(function* () {
      const { emulator: service, fault, place: store, started } = yield* makeWorld()
      const { close, tokens } = yield* started()
      yield* fault(Fault.silence())
      yield* Effect.forkChild(Effect.exit(tokens.rotate(0)))
      yield* pass(40_000, 250)
      assert.strictEqual((yield* service.counts).refreshes, 1)
      const closing = yield* Effect.forkChild(close)
      yield* pass(29_000, 250)
      assert.isUndefined(closing.pollUnsafe())
      yield* pass(2_000, 250)
      assert.isDefined(closing.pollUnsafe())
      assert.isTrue((yield* store.record).intent?.ambiguous)
    })
  )

  it.effect("two clients share one session through the store, and each outlives the other", () =>
    Effect.gen(function* () {
      const { boot, emulator: service, place: store, started } = yield* makeWorld()
      const shared = store.store()
      const one = yield* started({ store: shared })
      const two = yield* boot({ store: shared })
      yield* service.expireTokens
      yield* letTime(Effect.all([one.read, two.read], { concurrency: "unbounded" }))
      assert.strictEqual((yield* service.counts).refreshes, 1)
      const tags = [...one.events, ...two.events].filter(({ generation }) => generation === 1).map(({ _tag }) => _tag)
      assert.sameMembers(tags, ["Rotated", "Adopted"])
      yield* one.close
      yield* service.expireTokens
      yield* two.read
      assert.strictEqual((yield* two.tokens.current).generation, 2)
      yield* two.close
      assert.strictEqual(yield* tagOf(two.tokens.rotate(2)), "RefreshUnavailable")
      const three = yield* boot({ store: shared })
      yield* three.read
    })
  )

  it.effect("an event handler that calls the API during a rotation does not block it", () =>
    Effect.gen(function* () {
      const { emulator: service, started } = yield* makeWorld()
      const { read, tokens } = yield* started()
      const handled: Array<string> = []
      yield* Effect.forkChild(
        Stream.runForEach(sessionEvents, ({ _tag }) =>
          Effect.andThen(
            read,
            Effect.sync(() => handled.push(_tag))
          )
        ).pipe(Effect.provideService(TokenService, tokens))
      )
      yield* Effect.yieldNow
      yield* service.expireTokens
      yield* letTime(read)
      yield* pass(100)
      assert.deepStrictEqual(handled, ["Rotated"])
    })
  )

  it.effect("a defect in a rotation fails its callers with a typed error, and the next call tries again", () =>
    Effect.gen(function* () {
      const { http, started } = yield* makeWorld()
      let isDefect = false
      const sometimesBroken = HttpClient.make((request, url) =>
        isDefect && url.pathname.endsWith("refresh-token") ? Effect.die("a defect") : http.execute(request)
      )
      const { tokens } = yield* started({ http: sometimesBroken })
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
      const { emulator: service, started } = yield* makeWorld()
      const { read } = yield* started()
      yield* service.faults.next("vaults.details", expired, { times: 40 })
      const ends: Array<string> = []
      for (let call = 0; call < 20; call++) ends.push(yield* tagOf(letTime(read)))
      assert.deepStrictEqual([...new Set(ends)], ["TokenExpired", "RefreshUnavailable"])
      assert.strictEqual((yield* service.counts).refreshes, 5)
      // Then one in 5 seconds.
      for (const refreshes of [6, 7]) {
        yield* TestClock.adjust("5 seconds")
        for (let call = 0; call < 5; call++) yield* tagOf(letTime(read))
        assert.strictEqual((yield* service.counts).refreshes, refreshes)
      }
      // The service has recovered: the existing token works.
      yield* service.faults.clear
      yield* letTime(read)
      assert.strictEqual((yield* service.counts).refreshes, 7)
    })
  )

  it.effect("no tenant waits for another tenant's dead session or slow store, or gets its token", () =>
    Effect.gen(function* () {
      const { emulator: service, http, place: store } = yield* makeWorld()
      const { compareAndSwap, load } = store.store()
      const slowForOne = TokenStore.of({
        load: (identity) => (identity === "slow" ? Effect.never : load(identity)),
        compareAndSwap
      })
      const keys = new Map<string, Redacted.Redacted>()
      const names = Array.from({ length: 200 }, (_, index) => `tenant-${index}`)
      for (const [index, name] of names.entries()) {
        keys.set(name, yield* service.issueApiKey({ vaultId: index + 1 }))
      }
      const clients = yield* Custody.makeLayerMap(
        (name) => ({
          environment: service.environment,
          ...(keys.has(name) ? { apiKey: keys.get(name)! } : {})
        }),
        { idleTimeToLive: "1 minute" }
      ).pipe(Effect.provideService(TokenStore, slowForOne), Effect.provideService(HttpClient.HttpClient, http))
      const read = (name: string) => Effect.provide(Vaults.details(), clients.get(name))
      const readAll = Effect.forEach(
        names,
        (name, index) => Effect.map(read(name), ({ id }) => assert.strictEqual<unknown>(id, String(index + 1))),
        { concurrency: "unbounded" }
      )
      const slow = yield* Effect.forkChild(Effect.exit(read("slow")))
      assert.strictEqual(yield* tagOf(read("dead")), "NoSession")
      yield* readAll
      yield* service.expireTokens
      yield* readAll
      assert.isUndefined(slow.pollUnsafe())
      // Every session was used by its own tenant only, and rotated once.
      assert.deepInclude(yield* service.counts, { refreshes: 200, rotations: 200 })
      const sessions = yield* service.sessions
      assert.isTrue(sessions.every(({ generation, revoked }) => generation === 1 && !revoked))
      const own = yield* store.inner.load("tenant-7")
      assert.strictEqual(Option.getOrThrow(own).record.session?.vaultId, 8)
      yield* Fiber.interrupt(slow)
    })
  )

  it.effect("a call waits for a new token that is not accepted for a second, and is sent once more", () =>
    Effect.gen(function* () {
      const { boot, emulator: service } = yield* makeWorld({ quirks: { accessTokenActivation: "900 millis" } })
      const { read } = yield* boot({ apiKey: yield* service.issueApiKey() })
      yield* letTime(read)
      yield* TestClock.adjust("1 minute")
      yield* service.expireTokens
      yield* letTime(read)
      assert.deepInclude(yield* service.counts, { refreshes: 1, rotations: 1 })
    })
  )
})
