/** What callers ask for: the token in use, one newer than a rejected token, or a new session. */
import { NoSession, RefreshUnavailable, type SessionError } from "@effect-custody/core/SessionError"
import { type AccessToken, isSendable } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Session } from "../Session.ts"
import type * as SessionTiming from "../SessionTiming.ts"
import * as ApiKeys from "./apiKeys.ts"
import { now, uptime } from "./clock.ts"
import { sameSecret } from "./decision/model.ts"
import { apiKeyRule, isApiKey } from "./options.ts"
import type { Rotation } from "./rotation.ts"
import * as SessionState from "./sessionState.ts"
import type { SingleFlight } from "./singleFlight.ts"

export interface TokenAccess extends ReturnType<typeof make> {}

/** Whether a token is of this session. Without the token, its generation decides. */
const isOf = (session: Session, generation: number, token: Redacted.Redacted | undefined): boolean =>
  session.generation === generation && (token === undefined || sameSecret(session.accessToken, token))

/** How many new tokens in a row may be rejected without one being accepted. The next one is kept for a cool-down. */
const inVainAtMost = 4

export const make = (options: {
  readonly identity: string
  readonly timing: SessionTiming.SessionTiming
  readonly state: SessionState.StateAccess
  readonly flight: SingleFlight
  readonly rotation: Rotation
  readonly apiKeys: ApiKeys.ApiKeys
}) => {
  const { apiKeys, flight, identity, rotation, state, timing } = options
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

  const unavailable = Effect.fnUntraced(function* (reason: string, wait: number) {
    const retryAt = DateTime.makeUnsafe((yield* now) + wait)
    return yield* new RefreshUnavailable({ identity, phase: "Rejected", reason, retryAt })
  })

  /** How long the session is not refreshed yet, because more than so many in a row were not accepted. */
  const heldBackFor = Effect.fnUntraced(function* (inVain: number) {
    const { unaccepted, usedSince = 0 } = yield* state.get
    return unaccepted > inVain ? usedSince + cooldown - (yield* uptime) : 0
  })

  const current = Effect.gen(function* () {
    const session = SessionState.liveSession(yield* state.get)
    return session === undefined ? yield* recover : SessionState.accessToken(session)
  })

  const rotate = Effect.fnUntraced(function* (
    generation: number,
    rejected: Redacted.Redacted | undefined
  ): Effect.fn.Return<AccessToken, SessionError> {
    const session = SessionState.liveSession(yield* state.get)
    if (session === undefined) return yield* recover
    if (!isOf(session, generation, rejected)) return SessionState.accessToken(session)
    const wait = yield* heldBackFor(inVainAtMost)
    return yield* wait > 0 ? unavailable("the service rejects each new access token", wait) : replace(session)
  })

  /** What follows a token that cannot be sent: its refresh token is used for another pair, the second time after a pause. */
  const anotherThan = Effect.fnUntraced(function* ({
    generation,
    value
  }: AccessToken): Effect.fn.Return<AccessToken, SessionError> {
    const reason = "the service sends no access tokens, or such that no header can carry"
    const wait = yield* heldBackFor(1)
    if (wait > 0) return yield* unavailable(reason, wait)
    const next = yield* rotate(generation, value)
    return isSendable(next.value) ? next : yield* unavailable(reason, cooldown)
  })

  /** A token that can be sent. */
  const sendable = (token: Effect.Effect<AccessToken, SessionError>): Effect.Effect<AccessToken, SessionError> =>
    Effect.filterOrElse(token, ({ value }) => isSendable(value), anotherThan)

  const start = Effect.fnUntraced(function* (apiKey: Redacted.Redacted): Effect.fn.Return<AccessToken, SessionError> {
    if (!isApiKey(apiKey)) {
      return yield* new NoSession({ identity, reason: `the API key ${apiKeyRule}` })
    }
    return yield* flight.runAfter(rotation({ _tag: "Start", key: ApiKeys.fingerprinted(apiKey), replaces: true }))
  })

  return {
    current: sendable(current),
    rotate: (generation: number, rejected?: Redacted.Redacted) => sendable(rotate(generation, rejected)),
    start: (apiKey: Redacted.Redacted) => sendable(start(apiKey)),
    sendable,
    refresh,
    recover,
    replace,
    otherThan
  }
}
