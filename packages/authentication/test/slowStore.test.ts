import { TokenStore } from "@effect-custody/authentication/TokenStore"
import { SendProgress } from "@effect-custody/core/siblings/Sender"
import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass } from "../../../test/support/worlds/sessionWorld.ts"

describe("a dead lease behind a slow store", () => {
  /**
   * A place whose holder died with the lease after its refresh was lost, and a store on it whose reads the test
   * defines.
   */
  const withDeadLease = Effect.gen(function* () {
    const world = yield* makeWorld()
    const dying = yield* world.started({ store: world.place.dyingAfter(4) })
    yield* world.emulator.expireTokens
    yield* world.fault(Fault.neverArrived("ECONNRESET"))
    yield* Effect.forkChild(Effect.exit(dying.read))
    yield* pass(100)
    const direct = world.place.store()
    const scope = yield* Effect.scope
    const bootWith = (load: TokenStore["Service"]["load"]) =>
      world
        .boot({ store: TokenStore.of({ load, compareAndSwap: direct.compareAndSwap }) })
        .pipe(Effect.provideService(Scope.Scope, scope), letTime)
    return { world, direct, bootWith }
  })

  for (const seconds of [1.1, 3, 5, 9]) {
    it.effect(`the first call takes over a dead lease, even with reads of ${seconds} seconds`, () =>
      Effect.gen(function* () {
        const { bootWith, direct, world } = yield* withDeadLease
        const next = yield* bootWith((identity) => Effect.delay(direct.load(identity), `${seconds} seconds`))
        yield* letTime(next.read)
        assert.strictEqual((yield* world.place.record).session?.generation, 1)
      })
    )
  }
})

describe("a store that is slow for the process that refreshes", () => {
  /** The holder of a lease, whose store reports conflicts after 3 seconds. */
  const keepsItsLease = Effect.fnUntraced(function* (storeTimeout: Duration.Input) {
    const world = yield* makeWorld()
    const { compareAndSwap, load } = world.place.store()
    const store = TokenStore.of({
      load,
      compareAndSwap: (identity, version, next) =>
        Effect.tapError(compareAndSwap(identity, version, next), ({ _tag }) =>
          _tag === "VersionConflict" ? Effect.sleep("3 seconds") : Effect.void
        )
    })
    const holder = yield* world.started({ store, timing: { storeTimeout } })
    const other = yield* world.boot()
    yield* world.emulator.expireTokens
    // The store takes the first renewal, and reports a failure.
    yield* world.place.next("compareAndSwap", undefined, "after")
    yield* world.fault(Fault.delayed({ answer: "25 seconds" }))
    const holding = yield* Effect.forkChild(holder.read)
    yield* pass(1_000, 50)
    const waiting = yield* Effect.forkChild(Effect.retry(other.read, Schedule.spaced("300 millis")))
    yield* letTime(Effect.all([Fiber.join(holding), Fiber.join(waiting)]), 50)
    assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    assert.strictEqual((yield* world.place.record).session?.generation, 1)
  })

  it.effect("a conflict that the store reports after a renewal's pause does not cost the lease", () =>
    keepsItsLease("10 seconds")
  )

  it.effect("a conflict that the store reports after the store's time limit does not cost the lease", () =>
    keepsItsLease("2 seconds")
  )

  it.effect("a claim whose write took longer than the lease is safe sends nothing", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      // A client such as fetch, which does not report when a request begins.
      const http = HttpClient.transform(world.http, Effect.provideService(SendProgress, undefined))
      const holder = yield* world.started({ http })
      yield* world.emulator.expireTokens
      // Others may take a lease that nobody has renewed for 10 seconds.
      yield* world.place.next("compareAndSwap", { wait: 8_000 })
      const reading = yield* Effect.forkChild(holder.read)
      yield* letTime(Fiber.await(reading), 50)
      assert.include(
        world.place.records.map(({ intent }) => intent?._tag),
        "Refresh"
      )
      assert.strictEqual((yield* world.emulator.counts).refreshes, 0)
      assert.isUndefined((yield* world.place.record).lease)
    })
  )

  it.effect("the first write of new tokens continues after its time limit", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { compareAndSwap, load } = world.place.store()
      const store = TokenStore.of({ load: (identity) => Effect.delay(load(identity), "3 seconds"), compareAndSwap })
      const scope = yield* Effect.scope
      const holder = yield* letTime(Effect.provideService(world.started({ store }), Scope.Scope, scope))
      yield* world.emulator.expireTokens
      yield* world.place.next("compareAndSwap", undefined, "after")
      yield* world.fault(Fault.delayed({ answer: "4 seconds" }))
      // The tokens arrive after 7 seconds. Their first write meets a conflict, and reads for 3 seconds.
      yield* Effect.forkChild(holder.read)
      yield* pass(9_000, 50)
      assert.strictEqual((yield* world.place.record).session?.generation, 0)
      yield* pass(2_000, 50)
      assert.strictEqual((yield* world.place.record).session?.generation, 1)
    })
  )
})

describe("a replica that lags behind", () => {
  it.effect("a lagging replica is read with pauses, and not taken for another process", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const direct = world.place.store()
      let behind: Effect.Effect<unknown> | undefined
      let loads = 0
      const load: TokenStore["Service"]["load"] = (identity) =>
        Effect.suspend(() => {
          loads++
          return behind === undefined ? direct.load(identity) : (behind as ReturnType<typeof direct.load>)
        })
      const store = TokenStore.of({ load, compareAndSwap: direct.compareAndSwap })
      const { tokens } = yield* world.started({ store })
      const old = yield* direct.load("default")
      yield* tokens.rotate(0)
      behind = Effect.succeed(old)
      loads = 0
      const error = yield* Effect.flip(letTime(tokens.rotate(1)))
      assert.strictEqual(error._tag, "RefreshUnavailable")
      assert.include(error.message, "the store is too slow")
      // At most a minute of reads.
      assert.isBelow(loads, 60 * 30)
      yield* TestClock.adjust("6 seconds")
      yield* Effect.flip(letTime(tokens.rotate(1)))
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
      behind = undefined
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* letTime(tokens.rotate(1))).generation, 2)
    })
  )
})

describe("a store when the layer closes", () => {
  it.effect("a closing layer writes the newest session to a locked store within a minute", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { close, read } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.place.next("compareAndSwap", undefined, ...Array.from({ length: 12 }, () => "before" as const))
      yield* letTime(read, 1)
      yield* letTime(close)
      assert.strictEqual((yield* world.place.record).session?.generation, 1)
    })
  )

  it.effect("a closing layer ends even if the store stays locked", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { close, read } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.place.next("compareAndSwap", undefined, ...Array.from({ length: 200 }, () => "before" as const))
      yield* letTime(read, 1)
      yield* letTime(close, 100, 61_000)
      assert.strictEqual((yield* world.place.record).session?.generation, 0)
    })
  )
})
