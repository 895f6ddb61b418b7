/** Time for a client whose sockets are real, and whose pauses are not waited for. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** How long the client waits before it tries a rejected new token again, in milliseconds. */
const pause = 1_000

const makeClock = (): Clock.Clock => {
  let millis = Date.UTC(2026, 0, 1)
  const nanos = () => BigInt(millis) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => millis,
    currentTimeMillis: Effect.sync(() => millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Duration.toMillis(duration) !== pause
        ? Effect.never
        : Effect.andThen(
            Effect.sync(() => {
              millis += pause
            }),
            Effect.yieldNow
          )
  }
}

/**
 * Runs an effect in a time of its own, which stands still. Only the second before a rejected new token is tried again
 * passes, at once; a limit on an answer is never reached. So the client's decisions do not depend on the machine's speed.
 */
export const withoutWaiting = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(self, Clock.Clock, makeClock()))
