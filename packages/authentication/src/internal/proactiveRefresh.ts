/** Replaces the token in the background before it expires, while it still serves. */
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { Session } from "../Session.ts"
import * as SessionTiming from "../SessionTiming.ts"
import * as Belief from "./sessionState.ts"
import type { State } from "./state.ts"
import { now } from "./clock.ts"

/** Runs for as long as the service does. */
export const run = (
  timing: SessionTiming.SessionTiming,
  state: State,
  refresh: (session: Session) => Effect.Effect<AccessToken, SessionError>
): Effect.Effect<never> => {
  /** Refreshes a session when it is due; after a failure that passes, once more while the token is valid. */
  const replace = Effect.fnUntraced(function* (session: Session): Effect.fn.Return<void> {
    const due = SessionTiming.proactiveAt(timing, session, yield* Random.nextBetween(0.8, 1))
    if (due === undefined) return
    yield* Effect.sleep(Math.max(0, due - (yield* now)))
    while ((yield* now) < (session.expiresAt ?? 0)) {
      const again = yield* refresh(session).pipe(
        Effect.as(false),
        Effect.catch(({ _tag }) => Effect.succeed(_tag === "RefreshUnavailable" || _tag === "TokenStoreError"))
      )
      if (!again) return
      yield* Effect.sleep(timing.cooldown)
    }
  })

  return Effect.suspend(() => {
    const session = Belief.liveSession(state.known())
    const { nextSession } = state
    return session === undefined
      ? nextSession
      : Effect.raceFirst(nextSession, Effect.andThen(replace(session), Effect.never))
  }).pipe(Effect.forever)
}
