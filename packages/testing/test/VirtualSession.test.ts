import { RetryPolicy, TokenService } from "@effect-custody/core"
import { Vaults } from "@effect-custody/sdk"
import { CustodyTest, Faults, VirtualSession, WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { tagOf } from "../../../test/support/clients/scriptedClient.ts"

const details = tagOf(Vaults.details())
/** Without waiting for a session that is paused. */
const detailsNow = details.pipe(RetryPolicy.within("1 second"))
const state = Effect.flatMap(TokenService, ({ status }) =>
  Effect.map(status, ({ generation, state }) => [state, Option.getOrUndefined(generation)])
)
const operations = WireLog.use(({ entries }) =>
  Effect.map(entries, (all) => all.map(({ operation }) => operation?.replace(/.*\./, "")))
)

describe("VirtualSession", () => {
  it.effect("a call without a session fails, and the session cannot be started", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* state, ["none", undefined])
      assert.strictEqual(yield* details, "NoSession")
      assert.deepStrictEqual(yield* operations, [])
    }).pipe(Effect.provide(VirtualSession.none))
  )

  it.effect("a call with an expired token refreshes the session", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* details, "Succeeded")
      assert.deepStrictEqual(yield* operations, ["details", "refreshToken", "details"])
      assert.deepStrictEqual(yield* state, ["serving", 1])
    }).pipe(Effect.provide(VirtualSession.expired))
  )

  it.effect("a call with a lost session fails", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* state, ["lost", 0])
      assert.strictEqual(yield* details, "SessionLost")
      assert.deepStrictEqual(yield* operations, [])
    }).pipe(Effect.provide(VirtualSession.lost))
  )

  it.effect("an ambiguous session is lost after the pause", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* state, ["ambiguous", 0])
      assert.strictEqual(yield* detailsNow, "SessionAmbiguous")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* details, "SessionLost")
    }).pipe(Effect.provide(VirtualSession.ambiguous))
  )

  it.effect("a call fails while the session cannot be refreshed", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* detailsNow, "RefreshUnavailable")
      const waiting = yield* Effect.forkChild(details)
      yield* Faults.play(Faults.stop)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "Succeeded")
    }).pipe(Effect.provide(VirtualSession.unavailable))
  )
})

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
