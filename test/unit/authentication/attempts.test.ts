import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as TestClock from "effect/testing/TestClock"
import { untilSuccess } from "../../../packages/authentication/src/internal/attempts.ts"

/** When attempts begin within 10 seconds, in milliseconds, if each one ends as given. */
const beginnings = Effect.fnUntraced(function* (attempt: (index: number) => Effect.Effect<string, string>) {
  const began = yield* Ref.make<ReadonlyArray<number>>([])
  const counted = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return yield* attempt((yield* Ref.updateAndGet(began, (before) => [...before, now])).length)
  })
  const fiber = yield* Effect.forkChild(untilSuccess(counted, Duration.millis(2_500)))
  yield* Effect.repeat(TestClock.adjust(50), { times: 199 })
  return {
    began: yield* Ref.get(began),
    result: fiber.pollUnsafe() === undefined ? undefined : yield* Fiber.join(fiber)
  }
})

describe("attempts at a store", () => {
  it.effect("that hang are followed by another one each time they were waited for, and not sooner", () =>
    Effect.gen(function* () {
      const { began } = yield* beginnings(() => Effect.never)
      assert.deepStrictEqual(began, [0, 2_500, 5_000, 7_500, 10_000])
    })
  )

  it.effect("that fail are repeated soon, and then with pauses that grow up to a quarter of that", () =>
    Effect.gen(function* () {
      const { began } = yield* beginnings(() => Effect.fail("busy"))
      assert.deepStrictEqual(began, [
        0,
        100,
        300,
        700,
        ...Array.from({ length: 14 }, (_, index) => 1_325 + 625 * index)
      ])
    })
  )

  it.effect("one that is late still counts", () =>
    Effect.gen(function* () {
      const { began, result } = yield* beginnings((index) =>
        index === 1 ? Effect.delay(Effect.succeed("late"), "4 seconds") : Effect.never
      )
      assert.deepStrictEqual(began, [0, 2_500])
      assert.strictEqual(result, "late")
    })
  )
})
