/** Time that only goes forward, for how long something took; the hour is `Clock.currentTimeMillis`'s. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since some moment, unmoved by whoever sets the clock. */
export const uptime: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.sync(() => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n))
)

/** The hour, in whole milliseconds since the Unix epoch: a clock may know it more exactly than a record keeps it. */
export const now: Effect.Effect<number> = Effect.map(Clock.currentTimeMillis, Math.floor)
