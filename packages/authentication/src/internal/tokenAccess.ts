/** What callers ask for: the token in use, one newer than a rejected token, or a new session. */
import { NoSession, type SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Session } from "../Session.ts"
import * as ApiKeys from "./apiKeys.ts"
import { isApiKey } from "./options.ts"
import type { Rotation } from "./rotation.ts"
import * as SessionState from "./sessionState.ts"
import type { SingleFlight } from "./singleFlight.ts"

export interface TokenAccess extends ReturnType<typeof make> {}

export const make = (options: {
  readonly identity: string
  readonly state: SessionState.StateAccess
  readonly flight: SingleFlight
  readonly rotation: Rotation
  readonly apiKeys: ApiKeys.ApiKeys
}) => {
  const { apiKeys, flight, identity, rotation, state } = options

  const refresh = (session: Session, accessTokenRejected: boolean) =>
    flight.join(rotation({ _tag: "Refresh", session, accessTokenRejected }))

  /** Without a usable session: adopts one that another process has started, or starts one. */
  const recover = flight.join(rotation({ _tag: "Start", key: undefined, replaces: false }, apiKeys.candidates))

  /** Replaces a session whose access token is dead; starts a new one if it cannot be refreshed any more. */
  const replace = (session: Session): Effect.Effect<AccessToken, SessionError> =>
    refresh(session, true).pipe(
      // The rotation that was joined may have been for an older generation, or proactive.
      Effect.filterOrElse(
        (token) => token.generation !== session.generation,
        () => refresh(session, true)
      ),
      Effect.catchTag(["SessionLost", "StoredSessionInvalid"], () => recover)
    )

  /** The token in use, if it is not of the rejected generation. */
  const otherThan = Effect.fnUntraced(function* (rejected: number) {
    const session = SessionState.liveSession(yield* state.get)
    return session === undefined || session.generation === rejected ? undefined : SessionState.accessToken(session)
  })

  const current = Effect.gen(function* () {
    const session = SessionState.liveSession(yield* state.get)
    return session === undefined ? yield* recover : SessionState.accessToken(session)
  })

  const rotate = Effect.fnUntraced(function* (rejected: number): Effect.fn.Return<AccessToken, SessionError> {
    const session = SessionState.liveSession(yield* state.get)
    if (session === undefined) return yield* recover
    return session.generation === rejected ? yield* replace(session) : SessionState.accessToken(session)
  })

  const start = Effect.fnUntraced(function* (apiKey: Redacted.Redacted): Effect.fn.Return<AccessToken, SessionError> {
    if (!isApiKey(apiKey)) {
      return yield* new NoSession({ identity, reason: "an API key has 1 to 255 characters" })
    }
    return yield* flight.runAfter(rotation({ _tag: "Start", key: ApiKeys.fingerprinted(apiKey), replaces: true }))
  })

  return { current, rotate, start, refresh, recover, replace, otherThan }
}
