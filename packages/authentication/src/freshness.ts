/**
 * Keeps the token in use fresh.
 *
 * - `reload`, after a 401: another process may have rotated the session, so the record is loaded again.
 * - `keepFresh`: refreshes the session in the background before its access token expires.
 */
import type { SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"
import { onReload } from "./decide.ts"
import { sameSecret } from "./secrets.ts"
import type { Session } from "./Session.ts"
import type { SessionTiming } from "./SessionOptions.ts"
import * as SessionState from "./sessionState.ts"
import { hasToken, now, report, uptime } from "./sessionState.ts"

/** For this many milliseconds after a token's first use, some servers of the service may not know the token yet. */
const activation = 1_000

interface Options extends SessionState.Parts {
  readonly apiKeys: SessionState.ApiKeys
  /** Waits for the running rotation. */
  readonly idle: Effect.Effect<void>
  /** For a process without a usable session: adopts or starts one. */
  readonly recover: Effect.Effect<AccessToken, SessionError>
  /** Replaces a session whose access token is dead. */
  readonly replace: (session: Session) => Effect.Effect<AccessToken, SessionError>
}

export const reload = ({ apiKeys, identity, idle, recover, replace, state, store }: Options) => {
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
      if (!hasToken(session, generation, rejected)) return SessionState.accessToken(session)
      const { record } = yield* store.load
      yield* apiKeys.noteUnused(record)
      // Some servers of the service may not know a new token yet, so the token is tried once more, even during a
      // rotation. The token's age is measured at the rejection, so that a slow store does not make the token look
      // older.
      const isFresh = known.usedSince !== undefined && rejectedAt - known.usedSince < activation
      const decision = onReload(identity, record, session, isFresh, isSecondLook)
      if (decision._tag === "Recover") return yield* recover
      if (decision._tag === "Adopt") return yield* state.adopt(decision.session)
      // A rotation may have ended during the load.
      const since = SessionState.liveSession(yield* state.get)
      if (since !== undefined && !hasToken(since, generation, rejected)) return SessionState.accessToken(since)
      if (decision._tag === "Wait") return undefined
      return decision._tag === "Use" ? SessionState.accessToken(session) : yield* replace(session)
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
    yield* report("session.refused", `${identity.name}, generation ${generation}: ${key}`)
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

/** A token that lives no longer than this is refreshed only after the service rejects it. */
const minLifetime = Duration.toMillis(Duration.seconds(5))

/**
 * Makes the function that schedules the refresh of the session in use. The old token works meanwhile. Without an expiry,
 * or with `proactive: false`, no fiber keeps running.
 */
export const keepFresh = Effect.fnUntraced(function* (
  timing: SessionTiming,
  refresh: (session: Session) => Effect.Effect<AccessToken, SessionError>
) {
  if (!timing.proactive) return () => Effect.void
  const run = yield* FiberHandle.makeRuntime<never>()
  const followed = yield* Ref.make<Session | undefined>(undefined)

  /** Refreshes a session when due. After a temporary failure, tries again while the token is valid. */
  const refreshWhenDue = Effect.fnUntraced(function* (session: Session): Effect.fn.Return<void> {
    const { expiresAt, obtainedAt } = session
    if (expiresAt === undefined || expiresAt - obtainedAt <= minLifetime) return
    const early = Math.min(Duration.toMillis(timing.proactiveWindow), (expiresAt - obtainedAt) / 5)
    // Random, so that not all processes refresh at once.
    const due = expiresAt - early * (yield* Random.nextBetween(0.8, 1))
    yield* Effect.sleep(Math.max(0, due - (yield* now)))
    while ((yield* now) < expiresAt) {
      const isTemporary = yield* refresh(session).pipe(
        Effect.as(false),
        Effect.catch(({ _tag }) => Effect.succeed(_tag === "RefreshUnavailable" || _tag === "TokenStoreError"))
      )
      if (!isTemporary) return
      yield* Effect.sleep(timing.cooldown)
    }
  })

  /** Schedules the refresh of this session instead of the previous one. With `undefined`, schedules none. */
  return (session: Session | undefined): Effect.Effect<void> =>
    Effect.map(Ref.getAndSet(followed, session), (before) => {
      if (session === before) return
      run(session === undefined ? Effect.void : refreshWhenDue(session))
    })
})
