/** The record is replaced or restored while a one-time secret is on its way. */
import { type Row, TokenStore } from "@effect-custody/authentication"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { after, inDoubt, meanwhile, refreshes, refused } from "../../support/worlds/secretsUnderWay.ts"
import { letTime, makeWorld, pass, tagOf } from "../../support/worlds/sessionWorld.ts"

const elsewhere = "https://other.custody.example/api/integration"
describe("the record belongs to another base address when the answer comes", () => {
  it.effect("to an API key: its session is not adopted, and its token never leaves", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const other = yield* makeWorld()
      yield* other.started()
      const theirs = { ...(yield* other.place.record), environment: elsewhere }
      const { events, read, tokens } = yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
      yield* world.emulator.faults.next("authentication.generateTokens", inDoubt(1))
      const exit = yield* meanwhile(tokens.current, world.place.put(theirs))
      assert.strictEqual(yield* tagOf(exit), "SessionOfAnotherEnvironment")
      assert.strictEqual(yield* tagOf(letTime(read)), "SessionOfAnotherEnvironment")
      assert.deepStrictEqual(events, [])
      assert.strictEqual((yield* world.emulator.received).length, 1)
      assert.deepStrictEqual(yield* world.place.record, theirs)
    })
  )

  it.effect("to a refresh token: the same", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* world.started()
      const record = yield* world.place.record
      assert(record.session !== undefined)
      const theirs = { ...record, session: { ...record.session, generation: 7 }, environment: elsewhere }
      yield* world.fault(inDoubt(1))
      const exit = yield* meanwhile(tokens.rotate(0), world.place.put(theirs))
      assert.strictEqual(yield* tagOf(exit), "SessionOfAnotherEnvironment")
      assert.deepStrictEqual(yield* world.place.record, theirs)
    })
  )
})

describe("a backup of a session that this process has seen end comes back when the answer comes", () => {
  for (const [name, fault] of [
    ["in doubt", inDoubt(1)],
    ["refused", refused(1, 400, "E00401")]
  ] as const) {
    for (const rotations of [0, 1]) {
      const which = rotations === 0 ? "the dead session" : "what it was before it was refreshed"
      it.effect(`the API key is ${name}: ${which} is not adopted`, () =>
        Effect.gen(function* () {
          const world = yield* makeWorld()
          const first = yield* world.started()
          const backup = yield* world.place.record
          yield* letTime(first.close)
          const source = { next: () => Effect.asSome(world.emulator.issueApiKey()) }
          const next = yield* world.boot({ source })
          if (rotations > 0) yield* next.tokens.rotate(0)
          yield* world.emulator.revokeSessions
          yield* world.emulator.faults.next("authentication.generateTokens", fault)
          const exit = yield* meanwhile(next.tokens.rotate(rotations), world.place.put(backup))
          assert.strictEqual(yield* tagOf(exit), "NoSession")
          assert.isFalse(next.events.slice(1).some(({ _tag }) => _tag === "Adopted"))
          // The next call starts with another key.
          yield* letTime(next.read)
        })
      )
    }
  }
})

describe("tokens come when the store has a newer session that has ended", () => {
  it.effect("the call fails with the loss: nothing dead is adopted", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { events, tokens } = yield* world.started()
      const record = yield* world.place.record
      assert(record.session !== undefined)
      const session = { ...record.session, generation: 7 }
      const ended = { ...record, session, end: { _tag: "Lost", generation: 7, at: 5 } } as const
      yield* world.fault(Fault.delayed({ answer: "1 seconds" }))
      assert.strictEqual(yield* tagOf(yield* meanwhile(tokens.rotate(0), world.place.put(ended))), "SessionLost")
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Started", "Lost"]
      )
    })
  )
})

describe("the record has changed, and cannot be read", () => {
  it.effect("a Retry-After is obeyed all the same", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.fault(after(1, Fault.rateLimited("600 seconds")))
      const challenged = Effect.gen(function* () {
        const record = yield* world.place.record
        assert(record.lease !== undefined)
        yield* world.place.put({ ...record, lease: { ...record.lease, isChallenged: true } })
        yield* world.place.next("load", "before")
      })
      assert.strictEqual(yield* tagOf(yield* meanwhile(tokens.rotate(0), challenged)), "RefreshUnavailable")
      assert.strictEqual(yield* tagOf(letTime(tokens.rotate(0))), "RefreshUnavailable")
      assert.strictEqual(yield* refreshes(world), 1)
    })
  )
})

describe("another session of the same number was started when a call is told that its token has expired", () => {
  it.effect("the call is made again with the new session's token, and nothing is refreshed", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { events, read } = yield* world.started()
      const { environment } = yield* world.place.record
      yield* world.emulator.expireTokens
      // The record is lost, and another process starts again: with generation 0.
      yield* world.place.put({ environment, spentKeys: [] })
      yield* TestClock.adjust("1 second")
      yield* world.started()
      // Two calls have the old token. The second one learns that it has expired when the new session is in use.
      yield* world.emulator.faults.next("vaults.details", refused(5, 498, "E40003"))
      const late = yield* Effect.forkChild(read)
      yield* pass(100)
      yield* letTime(read)
      yield* letTime(Fiber.join(late))
      assert.strictEqual(yield* refreshes(world), 0)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Started", "Adopted"]
      )
    })
  )
})

describe("a backup holds an old lease of this process", () => {
  it.effect("and comes back while its API key is on its way: it is not taken for the claim, and given back", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const keys: Array<Redacted.Redacted> = []
      const source = { next: () => Effect.sync(() => Option.fromUndefinedOr(keys.shift())) }
      const first = yield* world.started()
      yield* letTime(first.close)
      const next = yield* world.boot({ source })
      yield* next.tokens.rotate(0)
      const backup = world.place.records.findLast(({ lease }) => lease !== undefined)
      assert(backup !== undefined)
      yield* world.emulator.revokeSessions
      assert.strictEqual(yield* tagOf(letTime(next.tokens.rotate(1))), "SessionLost")
      yield* world.place.put({ environment: backup.environment, spentKeys: [] })
      yield* pass(6_000, 50)
      keys.push(yield* world.emulator.issueApiKey())
      yield* world.emulator.faults.next("authentication.generateTokens", inDoubt(5))
      yield* meanwhile(next.tokens.rotate(1), world.place.put(backup))
      const record = yield* world.place.record
      assert.deepStrictEqual(record.session, backup.session)
      assert.isUndefined(record.lease)
    })
  )
})

/** A store whose row can be looked at and put back. */
const restorable = Effect.gen(function* () {
  const rows: Array<Row> = []
  const store = yield* TokenStore.make({
    load: () => Effect.sync(() => Option.fromUndefinedOr(rows.at(-1))),
    compareAndSwap: (_, expectedVersion, next) =>
      Effect.sync(() => {
        if ((rows.at(-1)?.version ?? 0) !== expectedVersion) return false
        rows.push(next)
        return true
      })
  })
  const record = Effect.map(store.load("default"), (found) => Option.getOrThrow(found).record)
  return { store, record, row: () => rows.at(-1)!, put: (row: Row) => void rows.push(row) }
})

describe("the store is restored while a process refreshes, and another process claims the restored record", () => {
  it.effect("67 · the first one does not take the other's claim for its own: it stays", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { put, record, row, store } = yield* restorable
      const first = yield* world.started({ store })
      const other = yield* world.boot({ store })
      yield* other.read
      const backup = row()

      yield* world.fault(after(8, Fault.rateLimited("1 second")), 2)
      yield* Effect.forkChild(Effect.exit(first.tokens.rotate(0)))
      yield* pass(300)
      put(backup)
      yield* Effect.forkChild(Effect.exit(other.tokens.rotate(0)))
      yield* pass(300)
      const { lease } = yield* record
      assert(lease !== undefined)
      // Both have renewed, or tried to.
      yield* pass(5_000, 50)
      assert.strictEqual((yield* record).lease?.owner, lease.owner)
    })
  )

  it.effect("67 · nor does it write over the other's session", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { put, record, row, store } = yield* restorable
      const first = yield* world.started({ store })
      const other = yield* world.boot({ store })
      yield* other.read
      const backup = row()

      yield* world.fault(after(8, Fault.rateLimited("1 second")))
      const refreshing = yield* Effect.forkChild(Effect.exit(first.tokens.rotate(0)))
      yield* pass(300)
      put(backup)
      // A renewal finds that the lease is gone.
      yield* pass(3_700, 50)
      yield* other.tokens.rotate(0)
      yield* pass(8_000, 50)
      assert.strictEqual(yield* tagOf(yield* Fiber.join(refreshing)), "Succeeded")
      assert.strictEqual((yield* record).session?.generation, 1)
      assert.deepStrictEqual(first.events.at(-1), { _tag: "Adopted", generation: 1 })
    })
  )
})

describe("the store is restored while a process has a session that it cannot write", () => {
  it.effect("67 · a newer session of another process is not written over", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { put, record, row, store } = yield* restorable
      let writes = -Infinity
      let isDown = false
      const holder = yield* world.started({
        store: TokenStore.of({
          load: store.load,
          compareAndSwap: (...swap) =>
            Effect.suspend(() => {
              if (isDown) return Effect.fail(new TokenStoreError({ operation: "compareAndSwap", reason: "busy" }))
              // The first renewal is acknowledged after the answer has come.
              return ++writes === 2
                ? Effect.tap(store.compareAndSwap(...swap), () => {
                    isDown = true
                    return Effect.sleep("1 second")
                  })
                : store.compareAndSwap(...swap)
            })
        })
      })
      const backup = row()
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.delayed({ answer: "2900 millis" }))
      writes = 0
      yield* letTime(holder.read, 50)
      assert.strictEqual((yield* holder.tokens.status).state, "unpersisted")
      yield* pass(20_000, 100)
      put(backup)
      const other = yield* world.boot({ store })
      yield* letTime(other.tokens.start(yield* world.emulator.issueApiKey()))
      const newest = (yield* record).session?.startedAt
      isDown = false
      yield* pass(10_000, 100)
      assert.strictEqual((yield* record).session?.startedAt, newest)
    })
  )
})
