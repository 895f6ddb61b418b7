/** Refreshes the session in the background before its access token expires. The old token works meanwhile. */
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"
import type { Session } from "../store/Session.ts"
import type * as SessionTiming from "../session/SessionTiming.ts"
import { now } from "../store/clock.ts"

/** A token that lives no longer than this is refreshed only after the service rejects it. */
const minLifetime = Duration.toMillis(Duration.seconds(5))

/**
 * Makes the function that schedules the refresh of the session in use. Without an expiry, or with `proactive: false`, no
 * fiber keeps running.
 */
export const make = Effect.fnUntraced(function* (
  timing: SessionTiming.SessionTiming,
  refresh: (session: Session) => Effect.Effect<AccessToken, SessionError>
) {
  if (!timing.proactive) return () => Effect.void
  const run = yield* FiberHandle.makeRuntime<never>()
  const followed = yield* Ref.make<Session | undefined>(undefined)

  /** Refreshes a session when due. After a temporary failure, tries again while the token is valid. */
  const refreshWhenDue = Effect.fnUntraced(function* (session: Session): Effect.fn.Return<void> {
    const { expiresAt, obtainedAt } = session
    if (expiresAt === undefined || expiresAt - obtainedAt <= minLifetime) return
    const early = Math.min(Duration.toMillis(timing.proactiveWindow), (expiresAt - obtainedAt) / 5)
    // Random, so that not all processes refresh at once.
    const due = expiresAt - early * (yield* Random.nextBetween(0.8, 1))
    yield* Effect.sleep(Math.max(0, due - (yield* now)))
    while ((yield* now) < expiresAt) {
      const isTemporary = yield* refresh(session).pipe(
        Effect.as(false),
        Effect.catch(({ _tag }) => Effect.succeed(_tag === "RefreshUnavailable" || _tag === "TokenStoreError"))
      )
      if (!isTemporary) return
      yield* Effect.sleep(timing.cooldown)
    }
  })

  /** Schedules the refresh of this session instead of the previous one. With `undefined`, schedules none. */
  return (session: Session | undefined): Effect.Effect<void> =>
    Effect.map(Ref.getAndSet(followed, session), (before) => {
      if (session === before) return
      run(session === undefined ? Effect.void : refreshWhenDue(session))
    })
})
