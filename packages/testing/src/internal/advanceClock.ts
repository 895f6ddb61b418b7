/** Advances a test's clock while an effect runs. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

/** Lets pending work outside of Effect run. */
const macrotask = Effect.callback<void>((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})

/** Digests are computed in order, so when this digest is done, earlier ones are done too. */
const digest = Effect.promise(() => globalThis.crypto.subtle.digest("SHA-256", new Uint8Array(1)))

const settlePending = Effect.repeat(Effect.andThen(macrotask, digest), { times: 1 }).pipe(Effect.andThen(macrotask))

/** Advances the clock until the effect ends, by at most `atMost`. */
export const advanceWhile = <A, E, R>(self: Effect.Effect<A, E, R>, atMost: Duration.Input): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(self, { startImmediately: true })
    const startedAt = yield* Clock.currentTimeMillis
    const maxMillis = Duration.toMillis(Duration.fromInputUnsafe(atMost))
    const advance = Effect.gen(function* () {
      for (let passed = 0; passed < maxMillis; passed = (yield* Clock.currentTimeMillis) - startedAt) {
        yield* settlePending
        if (fiber.pollUnsafe() !== undefined) return
        yield* TestClock.adjust(Math.max(50, passed / 50))
      }
    })
    yield* Effect.onInterrupt(advance, () => Fiber.interrupt(fiber))
    return yield* Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
  })
