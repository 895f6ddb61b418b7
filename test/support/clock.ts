/** A clock for a client with real sockets whose pauses take no time. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** The pause of the client before it repeats a call with a rejected new token, in milliseconds. */
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
 * Runs an effect on a stopped clock. Only the pause before a rejected new token is tried again passes, at once. No time
 * limit of an answer is reached, so the client's decisions do not depend on the machine's speed.
 */
export const withoutWaiting = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(self, Clock.Clock, makeClock()))
