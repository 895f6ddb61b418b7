/**
 * The pause after the store has failed. During the pause, callers fail with the pause's end as `retryAt`, and the store
 * is not used.
 */
import { type SessionError, TokenStoreError } from "@effect-custody/core/SessionError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { now, uptime } from "../store/clock.ts"

/** The first pause in milliseconds. A later pause lasts as long as the failure has lasted, up to `maxMillis`. */
const minMillis = 100
const maxMillis = 1_000

interface Outage {
  /** The monotonic time (`uptime`) of the first failure. */
  readonly since: number
  /** The uptime at which the pause ends. */
  readonly until: number
  readonly error: TokenStoreError
}

export interface StorePause extends ReturnType<typeof make> {}

export const make = () => {
  const outage = Ref.makeUnsafe<Outage | undefined>(undefined)

  const pause = Effect.fnUntraced(function* (error: TokenStoreError) {
    // The error already has a retry time: a nested use of `withStore` has begun the pause.
    if (error.retryAt !== undefined) return yield* error
    const at = yield* uptime
    const since = (yield* Ref.get(outage))?.since ?? at
    const millis = Math.min(Math.max(at - since, minMillis), maxMillis)
    const retryAt = DateTime.makeUnsafe((yield* now) + millis)
    const { operation, reason } = error
    const timed = new TokenStoreError({ operation, reason, retryAt })
    yield* Ref.set(outage, { since, until: at + millis, error: timed })
    return yield* timed
  })

  /** Runs an effect that needs the store. During a pause, fails without running it. */
  return <A>(effect: Effect.Effect<A, SessionError>): Effect.Effect<A, SessionError> =>
    Effect.gen(function* () {
      const known = yield* Ref.get(outage)
      if (known !== undefined && (yield* uptime) < known.until) return yield* known.error
      const result = yield* Effect.catchTag(effect, "TokenStoreError", pause)
      yield* Ref.set(outage, undefined)
      return result
    })
}
