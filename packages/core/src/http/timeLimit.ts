/**
 * Time limits that allow for freezes (a paused container, a suspended laptop). After a freeze, timers fire before the
 * process reads the bytes that have arrived meanwhile.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ExchangeResult } from "./exchangeResult.ts"

/** The time limit of an exchange, and its result after that time. */
export interface TimeLimit {
  readonly after: Duration.Duration
  readonly result: Effect.Effect<ExchangeResult>
}

/** Lets the event loop read the sockets and deliver the answers. Takes no time of the `Clock`. */
export const socketsRead: Effect.Effect<void> = Effect.repeat(Effect.yieldNow, { times: 32 })

/**
 * If a timer is late by more than this, the process counts as frozen. It is harmless if a busy process counts as
 * frozen.
 */
const punctual = Duration.millis(20)

/** Replaces {@link punctual} after a freeze. Larger, so that a busy process does not count as frozen repeatedly. */
const punctualAgain = Duration.seconds(1)

/**
 * A request without an access token gets this extra time for each freeze, because the request may not have been written
 * before the freeze ended.
 */
export const afterFreeze = Duration.seconds(30)

/**
 * Completes after a time limit. First lets the event loop read what the sockets have received. If the process was
 * frozen until after the limit, waits {@link afterFreeze} more.
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

/** Effect's default clock. */
const system = Context.get(Context.empty(), Clock.Clock)

/** Runs an effect after a time, without a fiber until then. Returns a function that cancels or interrupts the effect. */
export const runAfter = (
  fiber: Fiber.Fiber<unknown, unknown>,
  duration: Duration.Duration,
  effect: () => Effect.Effect<void>
): (() => void) => {
  const { context } = fiber
  const clock = fiber.getRef(Clock.Clock)
  const millis = Duration.toMillis(duration)
  // Never run the effect, because `setTimeout` cannot wait this long (24 days), and no caller waits this long either.
  if (millis >= 2 ** 31) return () => {}
  if (clock !== system) {
    const sleeping = Effect.runForkWith(context)(Effect.andThen(clock.sleep(duration), Effect.suspend(effect)))
    return () => sleeping.interruptUnsafe()
  }
  let running: Fiber.Fiber<void> | undefined
  // oxlint-disable-next-line effecttsgo/global-timers -- the default clock uses this timer too, but needs a fiber.
  const timer = setTimeout(() => {
    running = Effect.runForkWith(context)(effect())
  }, millis)
  return () => {
    clearTimeout(timer)
    running?.interruptUnsafe()
  }
}

/** {@link runAfter} for a request without an access token: after a freeze, waits longer. */
export const runAfterFreezes = (
  { context }: Fiber.Fiber<unknown, unknown>,
  duration: Duration.Duration,
  effect: Effect.Effect<void>
): (() => void) => {
  const running = Effect.runForkWith(context)(Effect.andThen(limitPassed(duration), effect))
  return () => running.interruptUnsafe()
}
