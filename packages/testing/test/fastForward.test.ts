import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"

describe("advancing time", () => {
  it.effect("an hour passes at once, and the clock stops with the effect", () =>
    Effect.gen(function* () {
      // Nobody else moves the clock: in real time this would not end.
      yield* Effect.sleep("59 minutes").pipe(CustodyTest.fastForward())
      const passed = yield* Clock.currentTimeMillis
      assert.isAtLeast(passed, Duration.toMillis("59 minutes"))
      assert.isBelow(passed, Duration.toMillis("1 hour"))
    })
  )

  it.effect("the error of the effect is passed on", () =>
    Effect.gen(function* () {
      const late = Effect.andThen(Effect.sleep("1 second"), Effect.fail("late"))
      assert.strictEqual(yield* Effect.flip(late.pipe(CustodyTest.fastForward())), "late")
    })
  )
})
