import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeWorld, pass } from "../../support/worlds/sessionWorld.ts"

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
