/** A test's time that goes on by itself. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

/** The shortest step, in milliseconds, and what part of the time that has passed a later one is. */
const steps = { shortest: 50, part: 0.02 } as const

/** What is ready outside of Effect has its turn. */
const turn = Effect.callback<void>((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})

/** Digests that are under way are over when one that was begun after them is: they wait in one line. */
const digest = Effect.promise(() => globalThis.crypto.subtle.digest("SHA-256", new Uint8Array(1)))

const turns = Effect.repeat(Effect.andThen(turn, digest), { times: 1 }).pipe(Effect.andThen(turn))

/** Moves the clock until the effect has ended, or so much time has passed. */
export const whileTimePasses = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  atMost: Duration.Input
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(self, { startImmediately: true })
    const began = yield* Clock.currentTimeMillis
    const longest = Duration.toMillis(Duration.fromInputUnsafe(atMost))
    const pass = Effect.gen(function* () {
      for (let passed = 0; passed < longest; passed = (yield* Clock.currentTimeMillis) - began) {
        yield* turns
        if (fiber.pollUnsafe() !== undefined) return
        yield* TestClock.adjust(Math.max(steps.shortest, passed * steps.part))
      }
    })
    yield* Effect.onInterrupt(pass, () => Fiber.interrupt(fiber))
    return yield* Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
  })
