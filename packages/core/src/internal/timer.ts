/** Timers that cost no fiber while they run. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** Effect's default clock. */
const system = Context.get(Context.empty(), Clock.Clock)

/** Runs an effect in the context of a fiber after a time. Returns a function that cancels or interrupts it. */
export const after = (
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
