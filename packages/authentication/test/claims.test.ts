/** Claims whose secret was certainly never sent, and defects of a store. */
import { TokenStore } from "@effect-custody/authentication"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import * as TestClock from "effect/testing/TestClock"
import { letTime, makeWorld, pass, tagOf } from "../../../test/support/worlds/sessionWorld.ts"

type World = Effect.Success<ReturnType<typeof makeWorld>>

/** Counts the sent API keys. */
const exchanges = (world: World) =>
  Effect.map(world.emulator.received, (all) => all.filter(({ token }) => token?.kind === "apiKey").length)

describe("an API key that was claimed and not sent", () => {
  it.effect("a mark that was written too slowly, and is withdrawn at the second try, wastes no API key", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const apiKey = yield* world.emulator.issueApiKey()
      const direct = world.place.store()
      let swaps = 0
      // The second write takes so long that the lease may pass to another process. The third, the withdrawal, loses to a challenge of the lease.
      const store = TokenStore.of({
        load: direct.load,
        compareAndSwap: Effect.fnUntraced(function* (identity, version, next) {
          const swap = ++swaps
          if (swap === 2) yield* Effect.sleep("8 seconds")
          if (swap === 3) {
            const stored = Option.getOrThrow(yield* Effect.orDie(direct.load(identity))).record
            yield* world.place.put({ ...stored, lease: { ...stored.lease!, isChallenged: true } })
          }
          return yield* direct.compareAndSwap(identity, version, next)
        })
      })
      const { read } = yield* world.boot({ apiKey, store })
      assert.strictEqual(yield* tagOf(letTime(read)), "RefreshUnavailable")
      assert.strictEqual(yield* exchanges(world), 0)
      yield* TestClock.adjust("10 seconds")
      yield* letTime(read)
      assert.isAbove(swaps, 3)
      assert.strictEqual(yield* exchanges(world), 1)
    })
  )

  it.effect("a closing layer takes its mark back as soon as another holder of the lease ends, within a bound", () =>
    Effect.gen(function* () {
      for (const isEnding of [true, false]) {
        const world = yield* makeWorld()
        const apiKey = yield* world.emulator.issueApiKey()
        const direct = world.place.store()
        const stored = Effect.map(Effect.orDie(direct.load("default")), (one) => Option.getOrThrow(one).record)
        let swaps = 0
        // The mark is written so slowly that the key is not sent, and another process has the lease afterwards.
        const store = TokenStore.of({
          load: direct.load,
          compareAndSwap: Effect.fnUntraced(function* (identity, version, next) {
            const swap = ++swaps
            if (swap === 2) yield* Effect.sleep("8 seconds")
            if (swap === 3) yield* world.place.put({ ...(yield* stored), lease: { owner: "other", renewedAt: 0 } })
            return yield* direct.compareAndSwap(identity, version, next)
          })
        })
        const { close, read } = yield* world.boot({ apiKey, store })
        yield* Effect.forkChild(Effect.exit(read))
        yield* pass(8_500, 100)
        assert.strictEqual((yield* stored).spentKeys.length, 1)
        const closing = yield* Effect.forkChild(close)
        yield* pass(1_000, 100)
        assert.isUndefined(closing.pollUnsafe())
        if (isEnding) yield* world.place.put(Struct.omit(yield* stored, ["lease", "intent"]))
        yield* pass(isEnding ? 200 : 2_000, 100)
        yield* Fiber.join(closing)
        assert.strictEqual((yield* stored).spentKeys.length, isEnding ? 0 : 1)
        assert.strictEqual(yield* exchanges(world), 0)
      }
    })
  )
})

describe("a store with a defect", () => {
  const defects = [
    { name: "dies", defect: Effect.die(new Error("a defect")) },
    { name: "interrupts itself", defect: Effect.failCause(Cause.interrupt()) }
  ]
  for (const { defect, name } of defects) {
    const writes = [
      { secret: "refresh", write: "claim", before: 0, tag: "TokenStoreError" },
      { secret: "refresh", write: "tokens", before: 1, tag: "Succeeded" },
      { secret: "key", write: "claim", before: 0, tag: "TokenStoreError" },
      { secret: "key", write: "mark", before: 1, tag: "TokenStoreError" },
      { secret: "key", write: "tokens", before: 2, tag: "Succeeded" }
    ]
    for (const { before, secret, tag, write } of writes) {
      it.effect(
        `a store that ${name} at the write of the ${secret}'s ${write} wastes no secret and drops no token`,
        () =>
          Effect.gen(function* () {
            const world = yield* makeWorld()
            const { read } =
              secret === "key"
                ? yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
                : yield* world.started()
            yield* world.emulator.expireTokens
            const fault = { instead: defect }
            yield* world.place.next("compareAndSwap", ...Array.from({ length: before }, () => undefined), fault)
            assert.strictEqual(yield* tagOf(letTime(read)), tag)
            // The pause after the failure of the store.
            yield* TestClock.adjust("250 millis")
            yield* letTime(read)
            yield* TestClock.adjust("10 seconds")
            const generation = secret === "key" ? 0 : 1
            assert.strictEqual((yield* world.place.record).session?.generation, generation)
            assert.strictEqual(yield* exchanges(world), 1)
            assert.strictEqual((yield* world.emulator.counts).refreshes, generation)
          })
      )
    }
  }
})
