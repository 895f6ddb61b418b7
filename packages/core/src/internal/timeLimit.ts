/**
 * Lets the runtime read its sockets. After a freeze (a paused container, a suspended laptop, a stall of the event loop)
 * timers fire before what has arrived meanwhile is read: a time limit that has passed says nothing until then.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ExchangeResult } from "../Transport.ts"

/** How long an exchange may take, and what its result is when that time has passed. */
export interface TimeLimit {
  readonly after: Duration.Duration
  readonly result: Effect.Effect<ExchangeResult>
}

/** How often the event loop turns. One turn reads a socket; the others pass the answer on to the waiting fiber. */
const turns = 32

/** Completes when the event loop has turned several times. It takes no time of the `Clock`. */
export const socketsRead: Effect.Effect<void> = Effect.repeat(Effect.yieldNow, { times: turns })

/** A timer that is later than this has fired after a freeze. Mistaking a busy process for a frozen one does no harm. */
const punctual = Duration.millis(20)

/** While it waits after a freeze, a process that is only busy must not look frozen again and again. */
const punctualAgain = Duration.seconds(1)

/** How long an answer is waited for after a freeze: the request may have been written only at its end. */
export const afterFreeze = Duration.seconds(30)

/**
 * Completes when a time limit has passed and the sockets are read; after a freeze, a while later, and after a freeze in
 * that while, another while later. For requests that lose a session if they are given up too early.
 */
export const limitPassed = (limit: Duration.Duration, tolerance: Duration.Duration = punctual): Effect.Effect<void> =>
  Effect.clockWith((clock) => {
    const latest = clock.monotonicTimeNanosUnsafe() + Duration.toNanosUnsafe(Duration.sum(limit, tolerance))
    const wasFrozen = Effect.sync(() => clock.monotonicTimeNanosUnsafe() > latest)
    return Effect.sleep(limit).pipe(
      Effect.andThen(wasFrozen),
      Effect.tap(socketsRead),
      Effect.flatMap((late) => (late ? limitPassed(afterFreeze, punctualAgain) : Effect.void))
    )
  })
