/** The times that a session is kept by. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

const positive = Schema.Duration.pipe(
  Schema.check(
    Schema.makeFilter((duration) => Duration.isFinite(duration) && Duration.isPositive(duration), {
      message: "must be a positive, finite duration"
    })
  )
)

/** The times that a session is kept by. */
export const SessionTiming = Schema.Struct({
  /** How long before expiry the token is replaced in the background, at most a fifth of its lifetime. Default: 60 s. */
  proactiveWindow: positive,
  /** How long the answer to a refresh is waited for. No caller's own timeout shortens it. Default: 30 s. */
  requestTimeout: positive,
  /** How long the store may take to read or write. Default: 10 s. */
  storeTimeout: positive,
  /** How long a holder of the lease may be silent before it counts as dead. The same in every process. Default: 10 s. */
  leaseTimeout: positive,
  /** The pause after a refresh that failed. Default: 5 s. */
  cooldown: positive,
  /** The longest pause that a `Retry-After` may ask for. Default: 60 s. */
  maxCooldown: positive
})
export type SessionTiming = typeof SessionTiming.Type

/** The times where nothing else is said. */
export const standard: SessionTiming = {
  proactiveWindow: Duration.seconds(60),
  requestTimeout: Duration.seconds(30),
  storeTimeout: Duration.seconds(10),
  leaseTimeout: Duration.seconds(10),
  cooldown: Duration.seconds(5),
  maxCooldown: Duration.seconds(60)
}

/** How long to pause after a refresh that failed, in whole milliseconds: as long as the service asks for, within bounds. */
export const pauseFor = (timing: SessionTiming, asked: Duration.Duration | undefined): number => {
  const wanted = Duration.max(timing.cooldown, asked ?? Duration.zero)
  return Math.ceil(Duration.toMillis(Duration.min(wanted, timing.maxCooldown)))
}

/** A token that lives no longer than this is replaced when the service says so, not ahead of time. */
const shortestAhead = Duration.toMillis(Duration.seconds(5))

/**
 * When to replace a token ahead of its expiry, if at all; `spread` (0.8 to 1) keeps many processes from doing it at
 * once.
 */
export const proactiveAt = (
  timing: SessionTiming,
  session: { readonly expiresAt?: number; readonly obtainedAt: number },
  spread: number
): number | undefined => {
  const { expiresAt, obtainedAt } = session
  if (expiresAt === undefined || expiresAt - obtainedAt <= shortestAhead) return undefined
  const fifth = (expiresAt - obtainedAt) / 5
  return expiresAt - Math.min(Duration.toMillis(timing.proactiveWindow), fifth) * spread
}
