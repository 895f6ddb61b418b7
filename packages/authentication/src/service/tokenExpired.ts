/** Handles a 498: gets an access token newer than the rejected one, by a rotation that all callers share. */
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Rotation } from "../refresh/rotation.ts"
import type { SingleFlight } from "../refresh/singleFlight.ts"
import type { ApiKeys } from "../session/apiKeys.ts"
import * as SessionState from "../session/sessionState.ts"
import { sameSecret } from "../store/secrets.ts"
import type { Session } from "../store/Session.ts"

export interface TokenExpired extends ReturnType<typeof make> {}

/** `true` if the token belongs to the session. If no token is given, only the generations are compared. */
const hasToken = (session: Session, generation: number, token: Redacted.Redacted | undefined): boolean =>
  session.generation === generation && (token === undefined || sameSecret(session.accessToken, token))

interface Options extends SessionState.Parts {
  readonly flight: SingleFlight
  readonly rotation: Rotation
  readonly apiKeys: ApiKeys
}

export const make = ({ apiKeys, flight, rotation, state }: Options) => {
  const refresh = (session: Session, accessTokenRejected: boolean) =>
    flight.join(rotation({ _tag: "Refresh", session, accessTokenRejected }))

  /** For a process without a usable session: adopts a session that another process has started, or starts one. */
  const recover = flight.join(rotation({ _tag: "Start", key: undefined, replaces: false }, apiKeys.candidates))

  /** Refreshes a session whose access token is dead. Starts a new session if the refresh token is dead as well. */
  const replace = (session: Session): Effect.Effect<AccessToken, SessionError> =>
    refresh(session, true).pipe(
      // The joined rotation may have been proactive, or for an older generation. If it returned the dead token, refresh
      // again.
      Effect.filterOrElse(
        ({ generation, value }) => !hasToken(session, generation, value),
        () => refresh(session, true)
      ),
      Effect.catchTag(["SessionLost", "StoredSessionInvalid"], () => recover)
    )

  /** The token in use, unless it is the rejected one. */
  const tokenOtherThan = Effect.fnUntraced(function* (generation: number, rejected: Redacted.Redacted | undefined) {
    const session = SessionState.liveSession(yield* state.get)
    return session === undefined || hasToken(session, generation, rejected)
      ? undefined
      : SessionState.accessToken(session)
  })

  const rotate = Effect.fnUntraced(function* (
    generation: number,
    rejected?: Redacted.Redacted
  ): Effect.fn.Return<AccessToken, SessionError> {
    const session = SessionState.liveSession(yield* state.get)
    if (session === undefined) return yield* recover
    return hasToken(session, generation, rejected) ? yield* replace(session) : SessionState.accessToken(session)
  })

  return { rotate, refresh, recover, replace, tokenOtherThan }
}
