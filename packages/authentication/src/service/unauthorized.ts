/** Handles a 401 on the access token. Another process may have rotated the session, so the record is loaded again. */
import * as OperatorLog from "@effect-custody/core/unstable/OperatorLog"
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import type { ApiKeys } from "../session/apiKeys.ts"
import * as SessionState from "../session/sessionState.ts"
import { uptime } from "../store/clock.ts"
import { endReason, environmentMismatch, refreshIntent } from "../store/record.ts"
import { sameSecret } from "../store/secrets.ts"
import { isNewer } from "../store/Session.ts"
import type { TokenExpired } from "./tokenExpired.ts"

/** For this many milliseconds after a token's first use, some servers of the service may not know the token yet. */
const activation = 1_000

interface Options extends SessionState.Parts {
  readonly tokens: TokenExpired
  readonly apiKeys: ApiKeys
  readonly idle: Effect.Effect<void>
}

export const make = ({ apiKeys, identity, idle, state, store, tokens }: Options) => {
  const { tokenOtherThan, recover, replace } = tokens
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
      yield* idle
      const known = yield* state.get
      const session = SessionState.liveSession(known)
      if (session === undefined) return yield* recover
      const newer = yield* tokenOtherThan(generation, rejected)
      if (newer !== undefined) return newer
      const { record } = yield* store.load
      const mismatch = environmentMismatch(identity, record)
      if (mismatch !== undefined) return yield* mismatch
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
