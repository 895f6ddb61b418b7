import { SessionLost } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { type Call, secondsOf } from "../../../packages/core/src/internal/exchange.ts"
import * as TokenWaits from "../../../packages/core/src/internal/tokenWaits.ts"
import type { SessionError } from "../../../packages/core/src/SessionError.ts"
import type { AccessToken } from "../../../packages/core/src/TokenService.ts"

const token: AccessToken = { value: Redacted.make("access-1"), generation: 1 }

/** Waits, and a question that is answered by hand. */
const world = Effect.gen(function* () {
  const waits = TokenWaits.make()
  const answer = yield* Deferred.make<AccessToken, SessionError>()
  const asked = { times: 0, stopped: 0 }
  const question = Effect.suspend(() => {
    asked.times++
    return Effect.onInterrupt(Deferred.await(answer), () => Effect.sync(() => void asked.stopped++))
  })
  const clock = yield* Clock.Clock
  const join = (seconds: number, key: string | undefined) => {
    const call = { endsAt: secondsOf(clock) + seconds } as Call<unknown>
    return Effect.forkChild(
      waits.join(call, key, question, () => Effect.fail("late" as const)),
      { startImmediately: true }
    )
  }
  return { waits, answer, asked, join }
})

describe("calls that wait for a token", () => {
  it.effect("share one question, and each has its answer", () =>
    Effect.gen(function* () {
      const { answer, asked, join, waits } = yield* world
      const calls = yield* Effect.all(Array.from({ length: 100 }, () => join(10, "rotate 0")))
      assert.deepStrictEqual([asked.times, waits.count()], [1, 100])
      yield* Deferred.succeed(answer, token)
      for (const call of calls) assert.strictEqual(yield* Fiber.join(call), token)
      assert.strictEqual(waits.count(), 0)
      assert.strictEqual(yield* Effect.flatMap(join(10, "rotate 0"), Fiber.join), token)
      assert.strictEqual(asked.times, 2)
    })
  )

  it.effect("ask each for itself without a key, or under another one", () =>
    Effect.gen(function* () {
      const { asked, join } = yield* world
      yield* Effect.all([join(10, "rotate 0"), join(10, undefined), join(10, undefined), join(10, "rotate 1")])
      assert.strictEqual(asked.times, 4)
    })
  )

  it.effect("fail together with the session", () =>
    Effect.gen(function* () {
      const { answer, join } = yield* world
      const calls = yield* Effect.all([join(10, "rotate 0"), join(10, "rotate 0")])
      const lost = new SessionLost({ identity: "default", generation: 0 })
      yield* Deferred.fail(answer, lost)
      for (const call of calls) assert.strictEqual(yield* Effect.flip(Fiber.join(call)), lost)
    })
  )

  it.effect("44 · end each at its own deadline, and the others go on", () =>
    Effect.gen(function* () {
      const { answer, asked, join, waits } = yield* world
      const [first, second, third] = yield* Effect.all([join(1, "rotate 0"), join(2, "rotate 0"), join(10, "rotate 0")])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Effect.flip(Fiber.join(first)), "late")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Effect.flip(Fiber.join(second)), "late")
      assert.deepStrictEqual([waits.count(), asked.stopped], [1, 0])
      yield* Deferred.succeed(answer, token)
      assert.strictEqual(yield* Fiber.join(third), token)
    })
  )

  it.effect("15 · stop asking when the last one has gone away, and the next asks anew", () =>
    Effect.gen(function* () {
      const { answer, asked, join, waits } = yield* world
      const [one, other] = yield* Effect.all([join(10, "rotate 0"), join(10, "rotate 0")])
      yield* Fiber.interrupt(one)
      assert.deepStrictEqual([waits.count(), asked.stopped], [1, 0])
      yield* Fiber.interrupt(other)
      assert.deepStrictEqual([waits.count(), asked.stopped], [0, 1])
      const next = yield* join(10, "rotate 0")
      yield* Deferred.succeed(answer, token)
      assert.deepStrictEqual(yield* Fiber.await(next), Exit.succeed(token))
      assert.strictEqual(asked.times, 2)
    })
  )
})
