/** The times that a session is kept by. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The times that a session is kept by. */
export const SessionTiming = Schema.Struct({
  /** How long before expiry the token is replaced in the background, at most a fifth of its lifetime. Default: 60 s. */
  proactiveWindow: Schema.Duration,
  /** How long a holder of the lease may be silent before it counts as dead. Default: 10 s. */
  leaseTimeout: Schema.Duration,
  /** The pause after a refresh that failed. Default: 5 s. */
  cooldown: Schema.Duration,
  /** The longest pause that a `Retry-After` may ask for. Default: 60 s. */
  maxCooldown: Schema.Duration
})
export interface SessionTiming extends Schema.Schema.Type<typeof SessionTiming> {}

/** The times where nothing else is said. */
export const standard: SessionTiming = {
  proactiveWindow: Duration.seconds(60),
  leaseTimeout: Duration.seconds(10),
  cooldown: Duration.seconds(5),
  maxCooldown: Duration.seconds(60)
}

/** Until when to pause after a refresh that failed: as long as the service asks for, within bounds. */
export const cooledAt = (timing: SessionTiming, now: number, asked: Duration.Duration | undefined): number => {
  const wanted = Duration.max(timing.cooldown, asked ?? Duration.zero)
  return now + Duration.toMillis(Duration.min(wanted, timing.maxCooldown))
}

/** When to replace a token ahead of its expiry; `spread` (0.8 to 1) keeps many processes from doing it at once. */
export const proactiveAt = (
  timing: SessionTiming,
  session: { readonly expiresAt: number; readonly obtainedAt: number },
  spread: number
): number => {
  const fifth = (session.expiresAt - session.obtainedAt) / 5
  return session.expiresAt - Math.min(Duration.toMillis(timing.proactiveWindow), fifth) * spread
}
