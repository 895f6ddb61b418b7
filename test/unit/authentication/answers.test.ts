import { TokenStore } from "@effect-custody/authentication"
import { Amount, RetryPolicy } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Clients, Custody, Transactions, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../support/worlds/sessionWorld.ts"
import { transports } from "../../support/clients/wireClient.ts"

describe("an answer to a refresh", () => {
  const odd = [
    { name: "without a message and a status", patch: { message: null, status: null } },
    { name: "with a status that is a text", patch: { status: "created" } },
    { name: "with an expiry and a vault that are none", patch: { data: { expiresAt: "soon", vaultId: { id: 1 } } } },
    { name: "with more than anybody knows", patch: { data: { scope: ["all"], nested: { deep: [1] } }, trace: "x" } },
    { name: "whose message is a list", patch: { message: ["ok"], errors: "none" } }
  ]
  for (const { name, patch } of odd) {
    it.effect(`4 · a 201 ${name}, which does not decode, but holds both tokens: they are kept, and work`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const { events, read, tokens } = yield* world.started()
        yield* world.emulator.expireTokens
        yield* world.fault(Fault.edited(patch))
        yield* letTime(read)
        yield* tokens.rotate(1)
        yield* read
        assert.deepInclude(yield* world.emulator.counts, { refreshes: 2, rotations: 2 })
        assert.deepStrictEqual(
          events.map(({ _tag }) => _tag),
          ["Started", "Rotated", "Rotated"]
        )
      })
    )
  }

  for (const transport of transports) {
    it.live(`3 · that breaks off on the socket of ${transport.name}: the loss is reported with its time`, () =>
      Effect.gen(function* () {
        const emulator = Context.get(yield* Layer.build(Layer.fresh(CustodyEmulator.layerServer())), CustodyEmulator)
        const client = Custody.layer({
          environment: emulator.environment,
          apiKey: yield* emulator.issueApiKey(),
          retry: RetryPolicy.none
        }).pipe(Layer.provide([transport.layer, TokenStore.layerMemory]), Layer.fresh)
        yield* Effect.gen(function* () {
          yield* Vaults.details()
          yield* emulator.expireTokens
          yield* emulator.faults.next("authentication.refreshToken", Fault.truncated(20))
          const error = yield* Effect.flip(Vaults.details())
          assert.isTrue(error._tag === "SessionLost" && error.answerLostAt !== undefined, error._tag)
        }).pipe(Effect.provide(client))
        assert.deepInclude(yield* emulator.counts, { refreshes: 2, rotations: 1 })
      })
    )
  }

  it.effect("2 · that says that the refresh never arrived, while the store fails: the session is not in doubt", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.neverArrived())
      yield* world.place.next("compareAndSwap", undefined, "before")
      assert.strictEqual(yield* tagOf(letTime(read)), "RefreshUnavailable")
      yield* TestClock.adjust("6 seconds")
      yield* world.fault(
        Fault.answered({ status: 401, body: { status: 401, code: "E01402", message: "", errors: {} } })
      )
      const error = yield* Effect.flip(letTime(read))
      assert.strictEqual(error._tag, "SessionLost")
      assert.isFalse("answerLostAt" in error)
    })
  )

  it.effect("6 · killed after the write, before anybody is told: the next process has it, and refreshes nothing", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      // The key's claim, its tokens, the claim of the refresh, and the new session, of which it never hears.
      const dying = yield* world.started({ store: world.place.deadAfter(5) })
      yield* world.emulator.expireTokens
      const read = yield* Effect.forkChild(dying.read)
      yield* pass(200)
      assert.isUndefined(read.pollUnsafe())
      assert.strictEqual((yield* dying.tokens.current).generation, 0)
      const record = yield* world.place.record
      assert.deepStrictEqual([record.session?.generation, record.lease, record.intent], [1, undefined, undefined])
      const next = yield* world.boot()
      yield* next.read
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )
})

describe("a refusal while the store fails", () => {
  const refused = Fault.answered({ status: 401, body: { status: 401, code: "E01402", message: "", errors: {} } })

  it.effect("25 · the store can be read, and not written: the loser sees the winner's session, and adopts it", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const loser = yield* world.started()
      const { session, ...record } = yield* world.place.record
      const { ending, name, reach } = refused
      yield* world.fault({ name, reach, ending, answersAfter: Duration.seconds(1) })
      const losing = yield* Effect.forkChild(Effect.exit(loser.tokens.rotate(0)))
      yield* pass(200)
      yield* world.place.put({ ...record, session: { ...session!, generation: 1 } })
      yield* world.place.broken("compareAndSwap")
      yield* pass(2_000, 50)
      assert.strictEqual((yield* Fiber.join(losing))._tag, "Success")
      assert.strictEqual((yield* loser.tokens.current).generation, 1)
    })
  )

  it.effect("29 · the next session ends too, and a backup brings the old one back: nothing is sent again", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* world.started()
      yield* TestClock.adjust("1 minute")
      const backup = yield* world.place.record
      yield* world.fault(refused)
      yield* world.place.next("load", undefined, "before")
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "TokenStoreError")
      yield* tokens.start(yield* world.emulator.issueApiKey())
      yield* world.emulator.revokeSessions
      assert.strictEqual(yield* tagOf(tokens.rotate(1)), "SessionLost")
      yield* world.place.put(backup)
      yield* Effect.exit(tokens.current)
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "SessionLost")
      assert.strictEqual((yield* world.emulator.counts).refreshes, 2)
    })
  )

  it.effect("29 · other sessions come and go meanwhile: the token that was refused is not sent again", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* world.started()
      yield* TestClock.adjust("1 minute")
      const ours = yield* world.place.record
      yield* world.fault(refused)
      yield* world.place.next("load", undefined, "before")
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "TokenStoreError")
      // A backup, of a session that was started before: ours is not accepted any more.
      const session = { ...ours.session!, startedAt: -1, accessToken: Redacted.make("of the backup") }
      yield* world.place.put({ ...ours, session })
      assert.strictEqual(Redacted.value((yield* tokens.reload(0)).value), "of the backup")
      yield* world.place.put(ours)
      yield* tokens.rotate(0)
      assert.strictEqual(Redacted.value((yield* tokens.current).value), Redacted.value(ours.session!.accessToken))
      assert.strictEqual(yield* tagOf(tokens.rotate(0)), "SessionLost")
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
    })
  )

  it.effect("66 · the same rotation in the store, of another process that got no new refresh token: ours goes on", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* world.started()
      const before = (yield* world.place.record).session!
      yield* world.emulator.expireTokens
      yield* read
      const ours = yield* world.place.record
      const generation = 1
      assert.strictEqual(ours.session?.generation, generation)
      // Its record was deleted, and it began with the refresh token that ours was made from.
      const session = { ...before, generation, accessToken: Redacted.make("of the other"), hasOldRefreshToken: true }
      yield* world.place.put({ ...ours, session, intent: { _tag: "Refresh", generation, since: 0, ambiguous: true } })
      yield* world.emulator.expireTokens
      yield* read
      assert.strictEqual((yield* world.emulator.counts).refreshes, 2)
      assert.strictEqual((yield* world.place.record).session?.generation, 2)
    })
  )
})

describe("a write whose token has expired", () => {
  const send = (note: string) =>
    Transactions.send({ clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("1"), note })

  it.effect("41 · is sent once more, and that request decides the outcome: no money moves twice", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { use } = yield* world.started()
      yield* use(Clients.create({ id: "alice" }))
      yield* world.emulator.expireTokens
      yield* tagOf(letTime(use(send("first"))))
      yield* world.emulator.expireTokens
      // The first request gets the 498, the replay is acted on, and its answer lost.
      yield* world.emulator.faults.next("transactions.send", Fault.nth(2, Fault.answerLost()))
      assert.strictEqual(yield* tagOf(letTime(use(send("second")))), "OutcomeUnknown")
      const { byOperation, refreshes } = yield* world.emulator.counts
      assert.strictEqual(refreshes, 2)
      assert.strictEqual(byOperation["transactions.send"]?.[498], 2)
      const sent = Object.values(byOperation["transactions.send"] ?? {}).reduce((sum, count) => sum + count, 0)
      assert.strictEqual(sent, 4)
    })
  )
})
