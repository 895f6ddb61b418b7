/** Repeated attempts at a store that may fail, hang or be slow. */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"

/** When an attempt follows the one before: soon, and then with growing pauses up to a longest one. */
export const growing = (longest: Duration.Duration) =>
  Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced(longest)])

/** Attempts an effect until it succeeds. An attempt that is not answered does not keep the next one waiting. */
export const untilSuccess = <A, E>(attempt: Effect.Effect<A, E>, schedule: Schedule.Schedule<unknown>) =>
  Effect.gen(function* () {
    const success = yield* Deferred.make<A>()
    const attempts = yield* FiberSet.make()
    yield* attempt.pipe(
      Effect.tap((value) => Deferred.succeed(success, value)),
      Effect.ignore,
      FiberSet.run(attempts),
      Effect.repeat(schedule),
      Effect.raceFirst(Deferred.await(success))
    )
    return yield* Deferred.await(success)
  }).pipe(Effect.scoped)

/** How long a store that fails is tried again when the layer closes. */
const lastPatience = "45 seconds"

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
