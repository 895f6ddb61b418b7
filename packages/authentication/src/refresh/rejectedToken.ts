/**
 * Handles a rejected access token.
 *
 * - 498: gets a newer token, by a rotation that all callers share.
 * - 401: another process may have rotated the session, so the record is loaded again.
 */
import * as OperatorLog from "@effect-custody/core/OperatorLog"
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import type { Rotation } from "./rotation.ts"
import type { SingleFlight } from "./singleFlight.ts"
import type { ApiKeys } from "../session/apiKeys.ts"
import * as SessionState from "../session/sessionState.ts"
import { uptime } from "../store/clock.ts"
import { endReason, refreshIntent } from "../store/record.ts"
import { sameSecret } from "../endpoint/records.ts"
import { isNewer, type Session } from "../store/Session.ts"

/** `true` if the token belongs to the session. If no token is given, only the generations are compared. */
const hasToken = (session: Session, generation: number, token: Redacted.Redacted | undefined): boolean =>
  session.generation === generation && (token === undefined || sameSecret(session.accessToken, token))

interface Options extends SessionState.Parts {
  readonly flight: SingleFlight
  readonly rotation: Rotation
  readonly apiKeys: ApiKeys
}

export interface Tokens extends ReturnType<typeof tokens> {}

/** Gives the newest token, and replaces a token that has expired. */
export const tokens = ({ apiKeys, flight, rotation, state }: Options) => {
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

  /** Returns the token in use, or `undefined` if it is the rejected token. */
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

/** For this many milliseconds after a token's first use, some servers of the service may not know the token yet. */
const activation = 1_000

/** Returns the token to use after a 401. */
export const reload = (
  { apiKeys, flight, identity, state, store }: Options,
  { recover, replace, tokenOtherThan }: Tokens
) => {
  /** Lets one call look at a time, because the first look finds the token for the others. */
  const turn = Semaphore.makeUnsafe(1)

  /**
   * Finds the newest token, even if it is the rejected token. The first look returns `undefined` if the rejected token
   * is so new that the service may accept it soon.
   */
  const look = Effect.fnUntraced(
    function* (
      generation: number,
      rejected: Redacted.Redacted | undefined,
      rejectedAt: number,
      isSecondLook: boolean
    ): Effect.fn.Return<AccessToken | undefined, SessionError> {
      // Wait for the running rotation, because it may have made the rejected token invalid.
      yield* flight.idle
      const known = yield* state.get
      const session = SessionState.liveSession(known)
      if (session === undefined) return yield* recover
      const newer = yield* tokenOtherThan(generation, rejected)
      if (newer !== undefined) return newer
      const { record } = yield* store.load
      yield* apiKeys.noteUnused(record)
      const stored = record.session
      // An end in the record: another process has seen that the session cannot continue.
      const hasEnded = endReason(identity, record) !== undefined
      if (hasEnded && !isNewer(session, stored)) return yield* recover
      if (stored !== undefined && isNewer(stored, session)) return yield* state.adopt(stored)
      const since = yield* tokenOtherThan(generation, rejected)
      if (since !== undefined) return since
      // Some servers of the service may not know a new token yet, so the token is tried once more, even during a
      // rotation. The token's age is measured at the rejection, so that a slow store does not make the token look
      // older.
      const { usedSince } = known
      if (!isSecondLook && usedSince !== undefined && rejectedAt - usedSince < activation) return undefined
      const intent = refreshIntent(record, session)
      if (isSecondLook || intent === undefined) return SessionState.accessToken(session)
      // A refresh intent means that another process rotates the session, or that the outcome of a rotation is unknown.
      // Treat the token as expired.
      return yield* replace(session)
    },
    (looking) => turn.withPermit(looking)
  )

  /** Records, and logs once, that the service refuses the token and the store has no newer token. */
  const noteRefused = Effect.fnUntraced(function* ({ generation, value }: AccessToken) {
    const { hasUnusedKey, isRefused: wasRefused, session } = yield* state.get
    const isRefused = session?.accessToken === value
    yield* state.update({ isRefused })
    if (wasRefused || !isRefused) return
    const key = hasUnusedKey ? "the configured API key was never sent" : "no unused API key is configured"
    yield* OperatorLog.report("session.refused", `${identity.name}, generation ${generation}: ${key}`)
  })

  return Effect.fnUntraced(function* (
    generation: number,
    rejectedToken?: Redacted.Redacted
  ): Effect.fn.Return<AccessToken, SessionError> {
    const { session: before } = yield* state.get
    const rejected = rejectedToken ?? (before?.generation === generation ? before.accessToken : undefined)
    const rejectedAt = yield* uptime
    const found = yield* look(generation, rejected, rejectedAt, false)
    if (found === undefined) yield* Effect.sleep(activation)
    const token = found ?? (yield* look(generation, rejected, rejectedAt, true))!
    if (token.generation !== generation) return token
    // Compare the tokens too, because after a store was restored, a newly started session may have the generation of
    // the session that it replaces.
    const isAnother = rejected !== undefined && !sameSecret(token.value, rejected)
    if (isAnother || found === undefined) return { ...token, isRecent: true }
    yield* noteRefused(token)
    return token
  })
}
