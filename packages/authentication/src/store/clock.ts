/** The two clocks of a session: the time of day for records, and the uptime for pauses and leases. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds on a monotonic clock. Changes of the time of day do not affect it. */
export const readUptime = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

export const uptime: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => readUptime(clock)))

/** Whole milliseconds since the Unix epoch, as records keep times. */
export const now: Effect.Effect<number> = Effect.map(Clock.currentTimeMillis, Math.floor)
