/**
 * Time limits that know freezes (a paused container, a suspended laptop): after one, timers fire before what has arrived
 * meanwhile is read.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ExchangeResult } from "./exchangeResult.ts"

/** How long an exchange may take, and what its result is when that time has passed. */
export interface TimeLimit {
  readonly after: Duration.Duration
  readonly result: Effect.Effect<ExchangeResult>
}

/** Lets the event loop turn: once to read a socket, and to pass the answer on. It takes no time of the `Clock`. */
export const socketsRead: Effect.Effect<void> = Effect.repeat(Effect.yieldNow, { times: 32 })

/** A timer that is later than this has fired after a freeze. Mistaking a busy process for a frozen one does no harm. */
const punctual = Duration.millis(20)

/** While it waits after a freeze, a process that is only busy must not look frozen again and again. */
const punctualAgain = Duration.seconds(1)

/**
 * How much longer than its limit a request without an access token may take, for each time that the process was frozen:
 * it may have been written only at the end of the freeze.
 */
export const afterFreeze = Duration.seconds(30)

/** Completes when a time limit has passed and the sockets are read; after each freeze, {@link afterFreeze} later. */
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

/** Effect's default clock. */
const system = Context.get(Context.empty(), Clock.Clock)

/** Runs an effect after a time, without a fiber until then. Returns a function that cancels or interrupts it. */
export const runAfter = (
  fiber: Fiber.Fiber<unknown, unknown>,
  duration: Duration.Duration,
  effect: () => Effect.Effect<void>
): (() => void) => {
  const { context } = fiber
  const clock = fiber.getRef(Clock.Clock)
  const millis = Duration.toMillis(duration)
  // Longer than a timer of the runtime can be: nobody waits for that.
  if (millis >= 2 ** 31) return () => {}
  if (clock !== system) {
    const sleeping = Effect.runForkWith(context)(Effect.andThen(clock.sleep(duration), Effect.suspend(effect)))
    return () => sleeping.interruptUnsafe()
  }
  let running: Fiber.Fiber<void> | undefined
  // oxlint-disable-next-line effecttsgo/global-timers -- what the system's clock does, without a fiber.
  const timer = setTimeout(() => {
    running = Effect.runForkWith(context)(effect())
  }, millis)
  return () => {
    clearTimeout(timer)
    running?.interruptUnsafe()
  }
}
