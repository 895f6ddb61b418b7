import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

const PositiveDuration = Schema.Duration.check(
  Schema.makeFilter((duration) => Duration.isFinite(duration) && Duration.isPositive(duration))
)

/**
 * The timing of a session. Each duration is positive and finite.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SessionTiming = Schema.Struct({
  /**
   * `false`: a refresh begins only during a call, not in the background. Use `false` in runtimes that freeze a process
   * between calls, such as Lambda: an answer that arrives during the freeze is read too late. Default: `true`.
   */
  proactive: Schema.Boolean,
  /** How long before expiry a background refresh begins; at most a fifth of the token's lifetime. Default: 60 s. */
  proactiveWindow: PositiveDuration,
  /** The maximum wait for the answer to a refresh. A closing client waits at most 30 s more. Default: 3 minutes. */
  requestTimeout: PositiveDuration,
  /** The maximum duration of one read or write of the store. Default: 10 s. */
  storeTimeout: PositiveDuration,
  /** A lease holder that is silent for this long counts as dead. Use the same value in every process. Default: 10 s. */
  leaseTimeout: PositiveDuration,
  /** The pause after a failed refresh, once the schedule of `RetryPolicy.session` has ended. Default: 5 s. */
  cooldown: PositiveDuration,
  /** The maximum `Retry-After` to obey. A longer value is cut to this. Default: 1 hour. */
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
  proactive: true,
  proactiveWindow: Duration.seconds(60),
  requestTimeout: Duration.minutes(3),
  storeTimeout: Duration.seconds(10),
  leaseTimeout: Duration.seconds(10),
  cooldown: Duration.seconds(5),
  maxCooldown: Duration.hours(1)
}
