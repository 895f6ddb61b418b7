import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

const PositiveDuration = Schema.Duration.check(
  Schema.makeFilter((duration) => Duration.isFinite(duration) && Duration.isPositive(duration))
)

/**
 * The times that a session is kept by. Each is a positive, finite duration.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SessionTiming = Schema.Struct({
  /** How long before expiry the token is refreshed in the background; at most a fifth of its lifetime. Default: 60 s. */
  proactiveWindow: PositiveDuration,
  /** How long to listen for the answer to a refresh; a client that is closed: 30 s more at most. Default: 3 minutes. */
  requestTimeout: PositiveDuration,
  /** How long the store may take to read or write. Default: 10 s. */
  storeTimeout: PositiveDuration,
  /** How long the holder of a lease may be silent before it counts as dead. The same in every process. Default: 10 s. */
  leaseTimeout: PositiveDuration,
  /** The pause after a refresh that failed. In a long outage it grows to twice as much. Default: 5 s. */
  cooldown: PositiveDuration,
  /** The longest `Retry-After` that is obeyed whole; of a longer one, so much. Default: 1 hour. */
  maxCooldown: PositiveDuration
})
/**
 * @since 0.1.0
 * @category models
 */
export type SessionTiming = typeof SessionTiming.Type

/**
 * The default times.
 *
 * @since 0.1.0
 * @category constants
 */
export const standard: SessionTiming = {
  proactiveWindow: Duration.seconds(60),
  requestTimeout: Duration.minutes(3),
  storeTimeout: Duration.seconds(10),
  leaseTimeout: Duration.seconds(10),
  cooldown: Duration.seconds(5),
  maxCooldown: Duration.hours(1)
}
