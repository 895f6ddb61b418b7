/** Refreshes the session in the background before its access token expires. The old token works meanwhile. */
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken, SessionEvent } from "@effect-custody/core/TokenService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as PubSub from "effect/PubSub"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type { Session } from "../Session.ts"
import type * as SessionTiming from "../SessionTiming.ts"
import { now } from "./clock.ts"
import { liveSession, type StateAccess } from "./sessionState.ts"

/** A token that lives no longer than this is replaced only when the service rejects it. */
const shortestLifetime = Duration.toMillis(Duration.seconds(5))

/** When to refresh a session before it expires, if at all. `spread` (0.8 to 1) keeps processes from doing it at once. */
const dueAt = (
  { proactiveWindow }: SessionTiming.SessionTiming,
  { expiresAt, obtainedAt }: { readonly expiresAt?: number; readonly obtainedAt: number },
  spread: number
): number | undefined => {
  if (expiresAt === undefined || expiresAt - obtainedAt <= shortestLifetime) return undefined
  const fifth = (expiresAt - obtainedAt) / 5
  return expiresAt - Math.min(Duration.toMillis(proactiveWindow), fifth) * spread
}

/** Runs as long as the layer, and begins anew with each session in use. An event follows each change of session. */
export const run = (
  timing: SessionTiming.SessionTiming,
  state: StateAccess,
  events: PubSub.Subscription<SessionEvent>,
  refresh: (session: Session) => Effect.Effect<AccessToken, SessionError>
): Effect.Effect<void> => {
  /** Refreshes a session when it is due. After a failure that may pass, tries again while the token is valid. */
  const refreshWhenDue = Effect.fnUntraced(function* (session: Session): Effect.fn.Return<void> {
    const due = dueAt(timing, session, yield* Random.nextBetween(0.8, 1))
    if (due === undefined) return
    yield* Effect.sleep(Math.max(0, due - (yield* now)))
    while ((yield* now) < (session.expiresAt ?? 0)) {
      const mayPass = yield* refresh(session).pipe(
        Effect.as(false),
        Effect.catch(({ _tag }) => Effect.succeed(_tag === "RefreshUnavailable" || _tag === "TokenStoreError"))
      )
      if (!mayPass) return
      yield* Effect.sleep(timing.cooldown)
    }
  })

  return Stream.succeed(undefined).pipe(
    Stream.concat(Stream.fromSubscription(events)),
    Stream.mapEffect(() => Effect.map(state.get, liveSession)),
    Stream.changesWith((before, after) => before === after),
    Stream.switchMap((session) =>
      session === undefined ? Stream.empty : Stream.fromEffectDrain(refreshWhenDue(session))
    ),
    Stream.runDrain
  )
}
