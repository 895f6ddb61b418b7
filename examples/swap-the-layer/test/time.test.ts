/** Virtual time: a payout that takes an hour is tested in milliseconds. */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { payOut } from "../payout.ts"
import { alice, payout, sends } from "./alice.ts"

/** How long something takes, by the clock of the test. */
const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const result = yield* work
    return [Duration.millis((yield* Clock.currentTimeMillis) - began), result] as const
  })

describe("a payout in virtual time", () => {
  it.effect("a payout waits for a network that takes half an hour", () =>
    Effect.gen(function* () {
      yield* alice
      yield* (yield* CustodyEmulator).setDurations({ broadcastingFor: "30 minutes" })
      const [took, { status }] = yield* timed(payOut(payout))
      assert.strictEqual(status, "COMPLETED")
      assert.isAtLeast(Duration.toMinutes(took), 30)
      assert.isAtMost(Duration.toMinutes(took), 31)
    }).pipe(CustodyTest.fastForward(), Effect.provide(CustodyEmulator.layer))
  )

  it.effect("a payout stops waiting after an hour, and waits for the same transaction when it runs again", () =>
    Effect.gen(function* () {
      yield* alice
      yield* (yield* CustodyEmulator).setDurations({ broadcastingFor: "90 minutes" })
      const [waited, error] = yield* timed(Effect.flip(payOut(payout)))
      assert.strictEqual(error._tag, "StillPending")
      assert.strictEqual(Math.round(Duration.toMinutes(waited)), 60)
      assert.strictEqual((yield* payOut(payout)).status, "COMPLETED")
      assert.strictEqual(yield* sends, 1)
    }).pipe(CustodyTest.fastForward({ atMost: "3 hours" }), Effect.provide(CustodyEmulator.layer))
  )

  it.effect("a payout that is interrupted while it waits completes, and the next run finds it", () =>
    Effect.gen(function* () {
      yield* alice
      const running = yield* Effect.forkChild(payOut(payout))
      yield* Effect.repeat(TestClock.adjust("100 millis"), { until: () => Effect.map(sends, (sent) => sent === 1) })
      yield* Fiber.interrupt(running)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* payOut(payout)).status, "COMPLETED", "at its first look")
      assert.strictEqual(yield* sends, 1)
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect("a payout reads the history for a minute before it reports an unknown outcome", () =>
    Effect.gen(function* () {
      yield* alice
      yield* (yield* CustodyEmulator).faults.next("transactions.send", Fault.reset())
      const [took, error] = yield* timed(Effect.flip(payOut(payout)))
      assert.strictEqual(error._tag, "PayoutUnknown")
      assert.strictEqual(Math.round(Duration.toMinutes(took)), 1)
    }).pipe(CustodyTest.fastForward(), Effect.provide(CustodyEmulator.layer))
  )
})
