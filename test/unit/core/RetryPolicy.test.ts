import { RetryPolicy, TransportError } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { AttemptFailure } from "../../../packages/core/src/internal/attempt.ts"
import { schedule } from "../../../packages/core/src/internal/resend.ts"

const error = new TransportError({ operation: "vaults.details", phase: "NotSent", reason: "ECONNREFUSED" })
const again: AttemptFailure = { error, mayResend: true, retryAfter: undefined }

/** The waits between the attempts of something that always fails so, in milliseconds, by the virtual clock. */
const waitsOf = (policy: RetryPolicy.RetryPolicy, failure: AttemptFailure) =>
  Effect.gen(function* () {
    const at: Array<number> = []
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      at.push(now)
      return Effect.fail(failure)
    })
    const fiber = yield* Effect.forkChild(Effect.exit(Effect.retry(attempt, schedule(policy.read))))
    yield* TestClock.adjust("1 day")
    yield* Fiber.join(fiber)
    return at.slice(1).map((time, index) => time - (at[index] ?? 0))
  })

const patient = RetryPolicy.make({
  read: {
    attempts: 12,
    initialDelay: Duration.millis(100),
    maxDelay: Duration.seconds(2),
    maxRetryAfter: Duration.seconds(30)
  }
})

describe("the waits between attempts", () => {
  it.effect("double from the first on, are spread by a fifth either way, and never pass the longest", () =>
    Effect.gen(function* () {
      const runs = yield* Effect.replicateEffect(waitsOf(patient, again), 40)
      for (const waits of runs) {
        assert.strictEqual(waits.length, 11)
        waits.forEach((wait, index) => {
          const planned = Math.min(100 * 2 ** index, 2_000)
          assert.isAtLeast(wait, Math.floor(planned * 0.8), `wait ${index}`)
          assert.isAtMost(Math.floor(wait), Math.min(planned * 1.2, 2_000), `wait ${index}`)
        })
      }
      for (let index = 0; index < 11; index++) {
        assert.isAbove(new Set(runs.map((waits) => waits[index])).size, 5, `wait ${index} is spread`)
      }
    })
  )

  it.effect("are not shorter than the service asks for, and not longer for it", () =>
    Effect.gen(function* () {
      const asked = yield* waitsOf(patient, { error, mayResend: true, retryAfter: Duration.seconds(30) })
      assert.deepStrictEqual(
        asked,
        Array.from({ length: 11 }, () => 30_000)
      )
      const little = yield* waitsOf(patient, { error, mayResend: true, retryAfter: Duration.millis(500) })
      assert.strictEqual(little[0], 500)
      assert.isAtLeast(little[10] ?? 0, 1_600)
    })
  )

  it.effect(
    "are none where the service asks for longer than the policy allows, or the call must not be sent again",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* waitsOf(patient, { error, mayResend: true, retryAfter: Duration.seconds(31) }),
          []
        )
        assert.deepStrictEqual(yield* waitsOf(patient, { error, mayResend: true, retryAfter: Duration.infinity }), [])
        assert.deepStrictEqual(yield* waitsOf(patient, { error, mayResend: false, retryAfter: undefined }), [])
        assert.deepStrictEqual(yield* waitsOf(RetryPolicy.none, again), [])
      })
  )

  it.effect("are two by default for a read, and one for a write", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* waitsOf(RetryPolicy.standard, again)).length, 2)
      const { write } = RetryPolicy.standard
      assert.strictEqual((yield* waitsOf(RetryPolicy.make({ read: write }), again)).length, 1)
    })
  )
})

describe("a policy's settings", () => {
  it("are the default's where none are given", () => {
    assert.deepStrictEqual(RetryPolicy.make({}), RetryPolicy.standard)
    const policy = RetryPolicy.make({ read: { attempts: 6 } })
    assert.include(RetryPolicy.format(policy), "read: sent at most 6 times, 200ms to 5s apart")
    assert.deepStrictEqual(policy.keyed, RetryPolicy.standard.keyed)
  })

  it("are refused where they make no sense", () => {
    for (const attempts of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => RetryPolicy.make({ read: { attempts } }), /^retry: /, String(attempts))
    }
    assert.throws(() => RetryPolicy.make({ write: { maxDelay: Duration.seconds(-1) } }), /^retry: /)
    assert.throws(() => RetryPolicy.make({ write: { initialDelay: Duration.infinity } }), /^retry: /)
    assert.throws(() => RetryPolicy.make({ read: { deadline: Duration.zero } }), /^retry: /)
    assert.throws(() => RetryPolicy.make({ read: { schedule: "1 second" as never } }), /^retry: read.schedule: /)
    assert.throws(() => RetryPolicy.backoff({ attempts: 0 }), /^retry: backoff: /)
  })
})
