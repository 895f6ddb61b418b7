/** Repeated attempts at a store that may fail, hang or be slow. */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"

/** The pause after the first attempt that fails, in milliseconds. */
const firstPause = 100

/**
 * Attempts an effect until it succeeds. An attempt that is not answered within `patience` continues, and the next one
 * begins beside it. Failures come at once, so the pauses after them grow only up to a quarter of that: a store that has
 * failed for a while must not cost the time in which a challenge has to be answered.
 */
export const untilSuccess = <A, E>(attempt: Effect.Effect<A, E>, patience: Duration.Duration) =>
  Effect.gen(function* () {
    const success = yield* Deferred.make<A>()
    const attempts = yield* FiberSet.make()
    const begin = FiberSet.run(attempts, Effect.exit(Effect.tap(attempt, (value) => Deferred.succeed(success, value))))
    const attempting = Effect.gen(function* () {
      for (let pause = firstPause; ;) {
        const ended = yield* Effect.timeoutOption(Fiber.await(yield* begin), patience)
        if (Option.isNone(ended)) continue
        yield* Effect.sleep(pause)
        pause = Math.min(2 * pause, Duration.toMillis(patience) / 4)
      }
    })
    return yield* Effect.raceFirst(Deferred.await(success), attempting)
  }).pipe(Effect.scoped)

/** How long attempts at a failing store are repeated when the layer closes, in milliseconds. */
const lastPatience = 45_000

/**
 * When the layer closes: repeats attempts until one succeeds or the time is over, and then for the time of one more. A
 * process that was frozen meanwhile has not tried yet when it awakes, and an attempt at a slow store may have been cut off.
 */
export const atLast = <A, E>(
  attempts: Effect.Effect<A, E>,
  oneMore: Duration.Duration
): Effect.Effect<Option.Option<A>, E> =>
  Effect.flatMap(
    Effect.timeoutOption(attempts, lastPatience),
    Option.match({ onSome: Effect.succeedSome, onNone: () => Effect.timeoutOption(attempts, oneMore) })
  )
