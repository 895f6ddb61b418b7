/** What callers ask for: the token in use, one newer than a rejected token, or a new session. */
import { NoSession, RefreshUnavailable, type SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Session } from "../Session.ts"
import * as ApiKeys from "./apiKeys.ts"
import { now, uptime } from "./clock.ts"
import { sameSecret } from "./decision/model.ts"
import { apiKeyRule, isApiKey } from "./options.ts"
import type { Rotation } from "./rotation.ts"
import * as SessionState from "./sessionState.ts"
import type { SingleFlight } from "./singleFlight.ts"

export interface TokenAccess extends ReturnType<typeof make> {}

/** Without the token, its generation decides. */
const isOf = (session: Session, generation: number, token: Redacted.Redacted | undefined): boolean =>
  session.generation === generation && (token === undefined || sameSecret(session.accessToken, token))

/** How many new tokens in a row may be rejected without one being accepted. The next one is kept for a cool-down. */
const inVainAtMost = 4

interface Options extends SessionState.Parts {
  readonly flight: SingleFlight
  readonly rotation: Rotation
  readonly apiKeys: ApiKeys.ApiKeys
}

export const make = ({ apiKeys, flight, identity: { name: identity }, rotation, state, timing }: Options) => {
  const cooldown = Duration.toMillis(timing.cooldown)

  const refresh = (session: Session, accessTokenRejected: boolean) =>
    flight.join(rotation({ _tag: "Refresh", session, accessTokenRejected }))

  /** Without a usable session: adopts one that another process has started, or starts one. */
  const recover = flight.join(rotation({ _tag: "Start", key: undefined, replaces: false }, apiKeys.candidates))

  /** Replaces a session whose access token is dead; starts a new one if it cannot be refreshed any more. */
  const replace = (session: Session): Effect.Effect<AccessToken, SessionError> =>
    refresh(session, true).pipe(
      // The rotation that was joined may have been for an older generation, or proactive.
      Effect.filterOrElse(
        ({ generation, value }) => !isOf(session, generation, value),
        () => refresh(session, true)
      ),
      Effect.catchTag(["SessionLost", "StoredSessionInvalid"], () => recover)
    )

  /** The token in use, if it is not the rejected one. */
  const otherThan = Effect.fnUntraced(function* (generation: number, rejected: Redacted.Redacted | undefined) {
    const session = SessionState.liveSession(yield* state.get)
    return session === undefined || isOf(session, generation, rejected) ? undefined : SessionState.accessToken(session)
  })

  const current = Effect.gen(function* () {
    const session = SessionState.liveSession(yield* state.get)
    return session === undefined ? yield* recover : SessionState.accessToken(session)
  })

  const rotate = Effect.fnUntraced(function* (
    generation: number,
    rejected?: Redacted.Redacted
  ): Effect.fn.Return<AccessToken, SessionError> {
    const session = SessionState.liveSession(yield* state.get)
    if (session === undefined) return yield* recover
    if (!isOf(session, generation, rejected)) return SessionState.accessToken(session)
    const { unaccepted, usedSince = 0 } = yield* state.get
    const wait = unaccepted > inVainAtMost ? usedSince + cooldown - (yield* uptime) : 0
    if (wait <= 0) return yield* replace(session)
    const retryAt = DateTime.makeUnsafe((yield* now) + wait)
    const reason = "the service rejects each new access token"
    return yield* new RefreshUnavailable({ identity, phase: "Rejected", reason, retryAt })
  })

  const start = Effect.fnUntraced(function* (apiKey: Redacted.Redacted): Effect.fn.Return<AccessToken, SessionError> {
    if (!isApiKey(apiKey)) {
      return yield* new NoSession({ identity, reason: `the API key ${apiKeyRule}` })
    }
    return yield* flight.runAfter(rotation({ _tag: "Start", key: ApiKeys.fingerprinted(apiKey), replaces: true }))
  })

  return { current, rotate, start, refresh, recover, replace, otherThan }
}
