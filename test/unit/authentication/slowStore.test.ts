import { TokenStore } from "@effect-custody/authentication/TokenStore"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../support/worlds/sessionWorld.ts"

describe("a store that hangs for one process, and not for another", () => {
  it.effect("24 · the new tokens are written again before anybody can take over", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const holder = yield* world.started()
      const other = yield* world.boot()
      yield* world.emulator.expireTokens
      // The claim is written, and what comes after it hangs.
      yield* world.place.next("compareAndSwap", undefined, "hang")
      const rotating = yield* Effect.forkChild(holder.read)
      yield* pass(100)
      const waiting = yield* Effect.forkChild(other.read)
      yield* pass(3_000, 50)
      assert.strictEqual((yield* world.place.record).session?.generation, 1)
      yield* Effect.all([Fiber.join(rotating), Fiber.join(waiting)])
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
      assert.deepStrictEqual(
        holder.events.map(({ _tag }) => _tag),
        ["Started", "Rotated"]
      )
    })
  )

  it.effect("24 · a lease is renewed although each renewal takes longer than it is waited for", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const holder = yield* world.started()
      const other = yield* world.boot()
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.delayed({ answer: "25 seconds" }))
      const late = { wait: Duration.toMillis("3 seconds") }
      yield* world.place.next("compareAndSwap", undefined, ...Array.from({ length: 12 }, () => late))
      const rotating = yield* Effect.forkChild(holder.read)
      yield* pass(100)
      const waiting = yield* Effect.forkChild(other.read)
      yield* pass(40_000, 50)
      yield* Effect.all([Fiber.join(rotating), Fiber.join(waiting)])
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    })
  )
})

describe("a write of new tokens that is acknowledged late", () => {
  it.effect("24 · is told as a rotation, not as another process's session", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const shared = world.place.store()
      let swaps = -Infinity
      const { events, read } = yield* world.started({
        store: TokenStore.of({
          load: shared.load,
          compareAndSwap: (...swap) =>
            Effect.tap(shared.compareAndSwap(...swap), () => (++swaps === 2 ? Effect.sleep("3 seconds") : Effect.void))
        })
      })
      yield* world.emulator.expireTokens
      swaps = 0
      yield* letTime(read, 50)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Started", "Rotated"]
      )
    })
  )
})

describe("a holder whose lease is renewed with trouble", () => {
  type World = Effect.Success<ReturnType<typeof makeWorld>>
  /** One process refreshes, with an answer that takes long, while another one waits: it must not refresh as well. */
  const oneRefresh = Effect.fnUntraced(function* (
    world: World,
    holder: Effect.Success<ReturnType<World["started"]>>,
    answer: Duration.Input,
    untilOther = 220
  ) {
    const other = yield* world.boot()
    yield* world.emulator.expireTokens
    yield* world.fault(Fault.delayed({ answer }))
    const holding = yield* Effect.forkChild(holder.read)
    yield* pass(untilOther)
    const waiting = yield* Effect.forkChild(other.read)
    yield* pass(40_000, 50)
    yield* Effect.all([Fiber.join(holding), Fiber.join(waiting)])
    assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
    assert.strictEqual((yield* world.place.record).session?.generation, 1)
  })

  type Swap = ReturnType<TokenStore["Service"]["compareAndSwap"]>
  const refused = Effect.fail(new TokenStoreError({ operation: "compareAndSwap", reason: "busy" }))
  const busy = Effect.fail(new TokenStoreError({ operation: "load", reason: "busy" }))
  for (const [what, first] of [
    ["is written and never acknowledged", (swap: Swap): Swap => Effect.andThen(swap, Effect.never)],
    ["is refused", (): Swap => refused]
  ] as const) {
    for (const answer of ["8 seconds", "12 seconds"] as const) {
      it.effect(
        `24 · the first renewal ${what}, the next read hangs, the answer takes ${answer}: the lease is kept`,
        () =>
          Effect.gen(function* () {
            const world = yield* makeWorld()
            const shared = world.place.store()
            let swaps = -Infinity
            let isHanging = false
            // Whoever is slower than the one that waits learns of its challenge by a conflict.
            const slowly = <A, E>(effect: Effect.Effect<A, E>) =>
              swaps < 0 ? effect : Effect.delay(effect, "100 millis")
            const holder = yield* world.started({
              store: TokenStore.of({
                load: (identity) =>
                  Effect.suspend(() => {
                    const now = isHanging ? Effect.never : slowly(shared.load(identity))
                    isHanging = false
                    return now
                  }),
                compareAndSwap: (...swap) =>
                  Effect.suspend(() => {
                    const swapping = slowly(shared.compareAndSwap(...swap))
                    if (++swaps !== 2) return swapping
                    isHanging = true
                    return first(swapping)
                  })
              })
            })
            swaps = 0
            yield* oneRefresh(world, holder, answer)
          })
      )
    }
  }

  it.effect("24 · two renewals in a row are not acknowledged, and the next read is slow: the lease is kept", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const shared = world.place.store()
      let swaps = -Infinity
      let isSlow = false
      const holder = yield* world.started({
        store: TokenStore.of({
          load: (identity) =>
            Effect.suspend(() => Effect.delay(shared.load(identity), isSlow ? "3500 millis" : "0 millis")),
          compareAndSwap: (...swap) =>
            Effect.suspend(() => {
              const swapping = shared.compareAndSwap(...swap)
              isSlow = ++swaps >= 3
              // The first renewal is written. The second one finds it, and could learn of it.
              return swaps === 2 || swaps === 3 ? Effect.andThen(Effect.exit(swapping), Effect.never) : swapping
            })
        })
      })
      swaps = 0
      yield* oneRefresh(world, holder, "20 seconds")
    })
  )

  /** An effect whose result is told later. */
  const toldAfter = <A, E>(effect: Effect.Effect<A, E>, delay: Duration.Input) =>
    Effect.flatMap(Effect.exit(effect), (exit) => Effect.delay(exit, delay))

  /** A store whose writes are counted from the claim on: the claim is write 1, the first renewal write 2. */
  interface Trouble {
    readonly load: (read: ReturnType<TokenStore["Service"]["load"]>, writes: number) => typeof read
    readonly write: (swap: Swap, number: number) => Swap
  }
  const troubled = Effect.fnUntraced(function* (world: World, { load, write }: Trouble) {
    const shared = world.place.store()
    let writes = -Infinity
    const holder = yield* world.started({
      store: TokenStore.of({
        load: (identity) =>
          Effect.suspend(() => (writes < 0 ? shared.load(identity) : load(shared.load(identity), writes))),
        compareAndSwap: (...swap) =>
          Effect.suspend(() => {
            const swapping = shared.compareAndSwap(...swap)
            return ++writes < 0 ? swapping : write(swapping, writes)
          })
      })
    })
    writes = 0
    return holder
  })

  for (const latency of [800, 1_200]) {
    it.effect(
      `24 · a store that does one thing at a time, ${latency} ms each, refuses two renewals: no read clogs it`,
      () =>
        Effect.gen(function* () {
          const world = yield* makeWorld()
          const one = yield* Semaphore.make(1)
          const slowly = <A, E>(effect: Effect.Effect<A, E>) =>
            one.withPermit(toldAfter(Effect.delay(effect, latency / 2), latency / 2))
          const holder = yield* troubled(world, {
            load: slowly,
            write: (swap, number) => (number === 2 || number === 3 ? refused : slowly(swap))
          })
          yield* oneRefresh(world, holder, "12 seconds", latency * 2)
        })
    )
  }

  it.effect("24 · after a conflict one read hangs, and the next ones fail for a while: the tokens are stored", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      let reads = 0
      const holder = yield* troubled(world, {
        load: (read, writes) => {
          if (writes >= 4 && ++reads === 1) return Effect.never
          return reads > 0 && reads < 6 ? busy : Effect.delay(read, "50 millis")
        },
        write: (swap, number) => (number === 2 || number === 3 ? refused : Effect.delay(swap, "50 millis"))
      })
      yield* oneRefresh(world, holder, "7800 millis")
    })
  )

  it.effect("24 · a renewal hangs while the answer arrives: the tokens are stored at once", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const holder = yield* troubled(world, {
        load: (read) => read,
        write: (swap, number) => (number === 2 ? Effect.never : swap)
      })
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.delayed({ answer: "2600 millis" }))
      const reading = yield* Effect.forkChild(holder.read)
      yield* pass(3_000)
      assert.strictEqual((yield* world.place.record).session?.generation, 1)
      yield* Fiber.join(reading)
    })
  )

  it.effect("24 · one renewal is refused, one and the write of the tokens hang: the token is sent once", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const slowly = <A, E>(effect: Effect.Effect<A, E>) => Effect.delay(effect, "200 millis")
      const holder = yield* troubled(world, {
        load: slowly,
        write: (swap, number) => (number === 2 ? refused : number === 3 || number === 4 ? Effect.never : slowly(swap))
      })
      yield* oneRefresh(world, holder, "5100 millis", 450)
    })
  )

  for (const [what, first] of [
    ["is refused", () => refused],
    ["is written, and said to have failed", (swap: Swap): Swap => Effect.andThen(Effect.exit(swap), refused)]
  ] as const) {
    it.effect(
      `24 · a renewal ${what}, and a replica shows the record from before the claim for 4 s: the lease is kept`,
      () =>
        Effect.gen(function* () {
          const world = yield* makeWorld()
          const before = world.place.inner.load("default")
          let old: Effect.Success<typeof before> | undefined
          const holder = yield* troubled(world, {
            load: (read) => (old === undefined ? read : Effect.succeed(old)),
            write: (swap, number) => {
              if (number === 1)
                return Effect.andThen(
                  Effect.tap(before, (row) => Effect.sync(() => (old = row))),
                  swap
                )
              return number === 2 ? first(swap) : swap
            }
          })
          yield* Effect.forkChild(
            Effect.andThen(
              Effect.sleep("6500 millis"),
              Effect.sync(() => (old = undefined))
            )
          )
          yield* oneRefresh(world, holder, "14 seconds")
        })
    )
  }

  it.effect("24, 29 · a renewal is refused, and a restored record repeats its version: it is not written over", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      let written = 0
      const holder = yield* troubled(world, {
        load: (read, writes) =>
          Effect.map(
            read,
            Option.map((row) =>
              writes < 2
                ? row
                : {
                    ...row,
                    record: { ...row.record, lease: { owner: "the holder when it was backed up", renewedAt: 0 } }
                  }
            )
          ),
        write: (swap, number) => {
          written = number
          return number === 2 ? refused : swap
        }
      })
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.delayed({ answer: "14 seconds" }))
      const reading = yield* Effect.forkChild(holder.read)
      yield* pass(13_000, 50)
      assert.strictEqual(written, 2)
      yield* letTime(Fiber.join(reading))
      assert.strictEqual((yield* world.place.record).session?.generation, 1)
    })
  )

  it.effect("24 · two renewals hang, and a read that was begun before a conflict: another one begins", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const slowly = <A, E>(effect: Effect.Effect<A, E>) => toldAfter(Effect.delay(effect, "75 millis"), "75 millis")
      let reads = 0
      const holder = yield* troubled(world, {
        load: (read, writes) => (writes < 3 ? read : ++reads === 2 ? Effect.never : slowly(read)),
        write: (swap, number) => (number === 3 || number === 4 ? Effect.never : slowly(swap))
      })
      yield* oneRefresh(world, holder, "14 seconds", 350)
    })
  )

  it.effect("24 · a conflict is told late, and a read at once: the read is believed", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const holder = yield* troubled(world, {
        load: (read) => read,
        // The second renewal is acknowledged late. What follows is told at the end of the time in which it is waited for,
        // or after it, and one write hangs.
        write: (swap, number) => {
          if (number < 3) return swap
          if (number === 3) return toldAfter(swap, "5300 millis")
          if (number === 4) return toldAfter(swap, "2600 millis")
          return number === 6 ? Effect.never : toldAfter(swap, "2450 millis")
        }
      })
      yield* oneRefresh(world, holder, "25 seconds")
    })
  )

  for (const [what, second] of [
    ["is acknowledged late", (swap: Swap): Swap => toldAfter(swap, "2600 millis")],
    ["is written, and says that it failed", (swap: Swap): Swap => Effect.andThen(Effect.exit(swap), refused)]
  ] as const) {
    for (const answer of ["10 seconds", "12 seconds", "14 seconds"] as const) {
      it.effect(
        `24 · reads are slow, the second renewal ${what}, the answer takes ${answer}: a read under way is used`,
        () =>
          Effect.gen(function* () {
            const world = yield* makeWorld()
            const shared = world.place.store()
            let swaps = -Infinity
            const holder = yield* world.started({
              store: TokenStore.of({
                load: (identity) =>
                  Effect.suspend(() => toldAfter(shared.load(identity), swaps < 1 ? "0 millis" : "3500 millis")),
                compareAndSwap: (...swap) =>
                  Effect.suspend(() => {
                    const swapping = shared.compareAndSwap(...swap)
                    return ++swaps === 3 ? second(swapping) : swapping
                  })
              })
            })
            swaps = 0
            yield* oneRefresh(world, holder, answer)
          })
      )
    }
  }

  for (const [how, down] of [
    ["fail", busy],
    ["hang", Effect.never]
  ] as const) {
    for (const answer of ["3 seconds", "20 seconds"] as const) {
      it.effect(
        `24 · a renewal is acknowledged late, reads ${how}, the answer takes ${answer}: writes alone are enough`,
        () =>
          Effect.gen(function* () {
            const world = yield* makeWorld()
            let isDown = false
            const holder = yield* troubled(world, {
              load: (read) => (isDown ? down : read),
              write: (swap, number) => {
                if (number !== 2) return swap
                isDown = true
                return toldAfter(swap, "2600 millis")
              }
            })
            yield* Effect.forkChild(
              Effect.andThen(
                Effect.sleep("16 seconds"),
                Effect.sync(() => (isDown = false))
              )
            )
            yield* oneRefresh(world, holder, answer)
          })
      )
    }
  }
})

describe("a store that takes no writes, from anybody, for longer than a lease", () => {
  for (const [how, store] of [
    ["before", "that says so"],
    ["hang", "that does not answer"]
  ] as const) {
    for (const [answer, moment] of [
      ["500 millis", "while the new tokens arrive"],
      ["20 seconds", "while the answer is on its way"]
    ] as const) {
      it.effect(`64 · ${store}, ${moment}: nobody sends the token again, and the new ones are stored`, () =>
        Effect.gen(function* () {
          const world = yield* makeWorld()
          const holder = yield* world.started()
          const other = yield* world.boot()
          yield* world.emulator.expireTokens
          yield* world.fault(Fault.delayed({ answer }))
          const holding = yield* Effect.forkChild(holder.read)
          yield* pass(200)
          yield* world.place.broken("compareAndSwap", how)
          const waiting = yield* Effect.forkChild(Effect.retry(other.read, Schedule.spaced("300 millis")))
          yield* pass(25_000, 50)
          yield* world.place.broken(undefined)
          yield* letTime(Effect.all([Fiber.join(holding), Fiber.join(waiting)]), 50)
          assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
          assert.strictEqual((yield* world.place.record).session?.generation, 1)
        })
      )
    }
  }
})

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
    it.effect(`57 · reads of ${seconds} seconds: it is taken over by the first call`, () =>
      Effect.gen(function* () {
        const { bootWith, direct, world } = yield* withDeadLease
        const next = yield* bootWith((identity) => Effect.delay(direct.load(identity), `${seconds} seconds`))
        yield* letTime(next.read)
        assert.strictEqual((yield* world.place.record).session?.generation, 1)
      })
    )
  }

  it.effect("57 · every other read fails after five seconds: what one call has watched is known to the next", () =>
    Effect.gen(function* () {
      const { bootWith, direct, world } = yield* withDeadLease
      let reads = 0
      const next = yield* bootWith((identity) =>
        Effect.delay(
          Effect.suspend(() =>
            reads++ % 2 === 0
              ? direct.load(identity)
              : Effect.fail(new TokenStoreError({ operation: "load", reason: "out of order" }))
          ),
          "5 seconds"
        )
      )
      const ends: Array<string> = []
      while (ends.at(-1) !== "Succeeded" && ends.length < 10) ends.push(yield* tagOf(letTime(next.read)))
      assert.strictEqual(ends.at(-1), "Succeeded")
      assert.strictEqual((yield* world.place.record).session?.generation, 1)
    })
  )
})

describe("a replica that lags behind", () => {
  it.effect("29 · is asked again with pauses, told by StoreBehind once, and not taken for another process", () =>
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
      const { events, tokens } = yield* world.started({ store })
      const old = yield* direct.load("default")
      yield* tokens.rotate(0)
      behind = Effect.succeed(old)
      loads = 0
      const error = yield* Effect.flip(letTime(tokens.rotate(1)))
      assert.strictEqual(error._tag, "RefreshUnavailable")
      assert.include(error.message, "the store is too slow, or does not take what is written to it")
      // For a minute, at the longest.
      assert.isBelow(loads, 60 * 30)
      yield* TestClock.adjust("6 seconds")
      yield* Effect.flip(letTime(tokens.rotate(1)))
      assert.strictEqual(events.filter(({ _tag }) => _tag === "StoreBehind").length, 1)
      assert.strictEqual((yield* world.emulator.counts).refreshes, 1)
      behind = undefined
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* letTime(tokens.rotate(1))).generation, 2)
    })
  )
})

describe("a store when the layer closes", () => {
  it.effect("9, 45 · that is locked: the newest session is written as soon as it can be, within a minute", () =>
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

  it.effect("24 · that hangs for a while: the newest session is written before anybody can take over", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { close, read } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.delayed({ answer: "1 second" }))
      const reading = yield* Effect.forkChild(Effect.exit(read))
      yield* pass(500)
      yield* world.place.broken("compareAndSwap", "hang")
      yield* pass(15_000, 50)
      assert.strictEqual(yield* tagOf(yield* Fiber.join(reading)), "Succeeded")
      const closing = yield* Effect.forkChild(close)
      yield* pass(4_000, 50)
      yield* world.place.broken(undefined)
      // Whoever is due to refresh challenges the holder, and waits for 5 seconds.
      yield* pass(4_500, 50)
      const { session } = yield* world.place.record
      yield* letTime(Fiber.join(closing))
      assert.strictEqual(session?.generation, 1)
    })
  )

  type Operation = <A, E>(operation: Effect.Effect<A, E>) => Effect.Effect<A, E | TokenStoreError>
  const busy = Effect.fail(new TokenStoreError({ operation: "compareAndSwap", reason: "busy" }))
  const fails: Operation = () => busy
  const hangs: Operation = () => Effect.never

  /** A process that closes while its newest session is not stored; the store is changed meanwhile. */
  const closingUnstored = Effect.fnUntraced(function* (down: Operation) {
    const world = yield* makeWorld()
    const shared = world.place.store()
    let around: Operation = (operation) => operation
    const { close, read } = yield* world.started({
      store: TokenStore.of({
        load: (identity) => Effect.suspend(() => around(shared.load(identity))),
        compareAndSwap: (...swap) => Effect.suspend(() => around(shared.compareAndSwap(...swap)))
      })
    })
    yield* world.emulator.expireTokens
    yield* world.fault(Fault.delayed({ answer: "1 second" }))
    const reading = yield* Effect.forkChild(read)
    yield* pass(500)
    around = down
    yield* pass(15_000, 50)
    yield* Fiber.join(reading)
    const closing = yield* Effect.forkChild(close)
    return {
      becomes: (next: Operation) => Effect.sync(() => (around = next)),
      isWritten: Effect.gen(function* () {
        yield* letTime(Fiber.join(closing))
        assert.strictEqual((yield* world.place.record).session?.generation, 1)
      })
    }
  })

  it.effect("9, 45 · that hangs, and is slow in the last second: the newest session is written all the same", () =>
    Effect.gen(function* () {
      const { becomes, isWritten } = yield* closingUnstored(hangs)
      yield* pass(44_000, 100)
      yield* becomes((operation) => Effect.delay(operation, "2 seconds"))
      yield* isWritten
    })
  )

  for (const [how, down] of [
    ["fails", fails],
    ["hangs", hangs]
  ] as const) {
    it.effect(`9, 45 · that ${how} for 50 seconds: the newest session is written all the same`, () =>
      Effect.gen(function* () {
        const { becomes, isWritten } = yield* closingUnstored(down)
        yield* pass(50_000, 100)
        yield* becomes((operation) => operation)
        yield* isWritten
      })
    )
  }

  it.effect("9, 45 · that is down until the process is frozen: the newest session is written when it awakes", () =>
    Effect.gen(function* () {
      const awake = yield* Deferred.make<void>()
      const { becomes, isWritten } = yield* closingUnstored(fails)
      yield* pass(3_000, 50)
      // While it is frozen, time passes, and nothing is answered.
      yield* becomes((operation) => Effect.andThen(Deferred.await(awake), operation))
      yield* TestClock.adjust("45 seconds")
      yield* Deferred.succeed(awake, undefined)
      yield* isWritten
    })
  )

  it.effect("9, 45 · that stays locked: closing ends all the same", () =>
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

  it.effect(
    "9, 45, 55 · that is down, with a session to store and a claim to withdraw: closing ends in about a minute",
    () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const shared = world.place.store()
        let state: "up" | "read only" | "down at the next write" | "down" = "up"
        const { close, read, tokens } = yield* world.started({
          store: TokenStore.of({
            load: (identity) => Effect.suspend(() => (state === "down" ? busy : shared.load(identity))),
            compareAndSwap: (...swap) =>
              Effect.suspend(() => {
                if (state === "down at the next write") state = "down"
                return state === "up" ? shared.compareAndSwap(...swap) : busy
              })
          })
        })
        yield* world.emulator.expireTokens
        yield* world.fault(Fault.delayed({ answer: "1 second" }))
        yield* Effect.forkChild(Effect.exit(read))
        yield* pass(500)
        state = "read only"
        yield* pass(3_000, 50)
        yield* Effect.forkChild(Effect.exit(tokens.rotate(1)))
        state = "down at the next write"
        yield* pass(15_000, 100)
        yield* letTime(close, 500, 66_000)
      })
  )
})
