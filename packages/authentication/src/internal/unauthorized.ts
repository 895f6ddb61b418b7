/** What a 401 on the access token means: the store may have a newer one. */
import type { SessionError, TokenStoreError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { isNewer, type Session } from "../Session.ts"
import * as SessionMachine from "./decision/model.ts"
import type { Stored } from "../TokenStore.ts"
import * as Belief from "./sessionState.ts"
import type { Journal } from "./recordStore.ts"
import * as Records from "./decision/record.ts"
import type { State } from "./state.ts"
import { now, uptime } from "./clock.ts"

/** How long after its first use a token may be unknown to some part of the service, in milliseconds. */
const settlesWithin = 1_000
/** How long to wait before such a token is tried once more. */
const settlingPause = "1 second"

export const make = (options: {
  readonly identity: SessionMachine.Identity
  readonly journal: Journal
  readonly state: State
  readonly other: (rejected: number) => AccessToken | undefined
  readonly recover: Effect.Effect<AccessToken, SessionError>
  readonly landed: Effect.Effect<void>
  readonly replace: (session: Session) => Effect.Effect<AccessToken, SessionError>
}) => {
  const { identity, journal, landed, other, recover, replace, state } = options
  const turn = Semaphore.makeUnsafe(1)
  let loads = 0
  let last: Stored | undefined

  /** The stored record as it was not before now: of many who ask at once, one reads. */
  const loadSince: Effect.Effect<Stored, TokenStoreError> = Effect.suspend(() => {
    const before = loads
    return turn.withPermit(
      Effect.suspend(() => {
        if (last !== undefined && loads > before) return Effect.succeed(last)
        loads++
        last = undefined
        return Effect.tap(journal.load, (stored) =>
          Effect.sync(() => {
            last = stored
          })
        )
      })
    )
  })

  /** The newest session there is, or the same; `undefined`: the same, which may yet be accepted. */
  const look = Effect.fnUntraced(function* (
    rejected: number,
    rejectedAt: number,
    settled: boolean
  ): Effect.fn.Return<AccessToken | undefined, SessionError> {
    // A rotation that is under way may be what has made the token invalid.
    yield* landed
    const known = state.known()
    const session = Belief.liveSession(known)
    if (session === undefined) return yield* recover
    const newer = other(rejected)
    if (newer !== undefined) return newer
    const loaded = yield* loadSince
    const record = Belief.withEnd(loaded.record, known, yield* now)
    const foreign = Records.belongs(identity, record)
    if (foreign !== undefined) return yield* foreign
    const stored = record.session
    // Somebody else has seen that the session is lost.
    const hasEnded = Records.ended(identity, record) !== undefined
    if (hasEnded && !isNewer(session, stored)) return yield* recover
    if (stored !== undefined && isNewer(stored, session)) return yield* state.adopt(stored)
    const since = other(rejected)
    if (since !== undefined) return since
    // A new token may not be known everywhere yet, whoever rotates it meanwhile: it is tried once more. How new it is
    // counts from when it was rejected: a slow store makes no token older.
    const { usedSince } = known
    if (!settled && usedSince !== undefined && rejectedAt - usedSince < settlesWithin) return undefined
    const intent = Records.refreshIntentOf(record, session)
    // On a restored store somebody has started another session, by a clock that is behind ours: ours is not accepted.
    const isReplaced = stored !== undefined && stored.startedAt !== session.startedAt
    if (isReplaced && !hasEnded && (intent === undefined || record.lease === undefined))
      return yield* state.adopt(stored)
    if (settled || intent === undefined) return Belief.accessToken(session)
    // Somebody rotates it, or has and we do not know the answer: the token is as dead as if it had expired.
    return yield* replace(session)
  })

  return Effect.fnUntraced(function* (rejected: number): Effect.fn.Return<AccessToken, SessionError> {
    const before = state.known().session
    const rejectedAt = yield* uptime
    const found = yield* look(rejected, rejectedAt, false)
    if (found === undefined) yield* Effect.sleep(settlingPause)
    const token = found ?? (yield* look(rejected, rejectedAt, true))!
    // A session that was started anew on a restored store may have the number of the one that it replaces.
    const isAnother = before?.generation === rejected && before.accessToken !== token.value
    return token.generation === rejected && (isAnother || found === undefined) ? { ...token, isSettling: true } : token
  })
}
