/** What a 401 on the access token means: another process may have rotated, so the record is loaded again. */
import * as OperatorLog from "@effect-custody/core/unstable/OperatorLog"
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import { isNewer } from "../Session.ts"
import type { ApiKeys } from "./apiKeys.ts"
import { now, uptime } from "./clock.ts"
import { endOf, environmentMismatch, refreshIntentOf, sameSecret } from "./decision/model.ts"
import * as SessionMemory from "./sessionMemory.ts"
import * as SessionState from "./sessionState.ts"
import type { TokenAccess } from "./tokenAccess.ts"

/** How long after its first use a token may be unknown to some part of the service, in milliseconds. */
const activation = 1_000

interface Options extends SessionState.Parts {
  readonly tokens: TokenAccess
  readonly apiKeys: ApiKeys
  readonly idle: Effect.Effect<void>
}

export const make = ({ apiKeys, identity, idle, state, store, tokens }: Options) => {
  const { otherThan, recover, replace } = tokens
  /** One look at a time: the first one finds what the others wait for. */
  const turn = Semaphore.makeUnsafe(1)

  /** The newest session, or the same one; `undefined`: the same one, which may yet be accepted. */
  const look = Effect.fnUntraced(
    function* (
      generation: number,
      rejected: Redacted.Redacted | undefined,
      rejectedAt: number,
      isSecondLook: boolean
    ): Effect.fn.Return<AccessToken | undefined, SessionError> {
      // A rotation under way may be what made the token invalid.
      yield* idle
      const known = yield* state.get
      const session = SessionState.liveSession(known)
      if (session === undefined) return yield* recover
      const newer = yield* otherThan(generation, rejected)
      if (newer !== undefined) return newer
      const loaded = yield* store.load
      const record = SessionMemory.withKnown(loaded.record, known, yield* now)
      const mismatch = environmentMismatch(identity, record)
      if (mismatch !== undefined) return yield* mismatch
      yield* apiKeys.noteUnused(record)
      const stored = record.session
      // Another process has seen that the session is lost.
      const hasEnded = endOf(identity, record) !== undefined
      if (hasEnded && !isNewer(session, stored)) return yield* recover
      if (stored !== undefined && isNewer(stored, session)) return yield* state.adopt(stored)
      const since = yield* otherThan(generation, rejected)
      if (since !== undefined) return since
      // A new token may not be accepted everywhere yet, so it is tried once more, even during a rotation. Its age counts
      // from when it was rejected: a slow store makes no token older.
      const { usedSince } = known
      if (!isSecondLook && usedSince !== undefined && rejectedAt - usedSince < activation) return undefined
      const intent = refreshIntentOf(record, session)
      if (isSecondLook || intent === undefined) return SessionState.accessToken(session)
      // Another process rotates it, or the answer to its rotation is unknown: the access token is as good as expired.
      return yield* replace(session)
    },
    (looking) => turn.withPermit(looking)
  )

  /** The service refuses the token, and the store has no newer one. The first call that learns it writes a log line. */
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
    given?: Redacted.Redacted
  ): Effect.fn.Return<AccessToken, SessionError> {
    const { session: before } = yield* state.get
    const rejected = given ?? (before?.generation === generation ? before.accessToken : undefined)
    const rejectedAt = yield* uptime
    const found = yield* look(generation, rejected, rejectedAt, false)
    if (found === undefined) yield* Effect.sleep(activation)
    const token = found ?? (yield* look(generation, rejected, rejectedAt, true))!
    if (token.generation !== generation) return token
    // On a restored store, a session that was started anew may have the number of the one it replaces.
    const isAnother = rejected !== undefined && !sameSecret(token.value, rejected)
    if (isAnother || found === undefined) return { ...token, isRecent: true }
    yield* noteRefused(token)
    return token
  })
}
