/**
 * What makes a rotation, and who waits for it.
 *
 * - Single flight: a `Semaphore` allows one rotation at a time in this process. It runs on a fiber of the layer's scope,
 *   and callers only wait for its result, so a caller that is interrupted or times out changes nothing.
 * - `rotate`, after a 498: gets a newer token, by a rotation that all callers share.
 * - `reload`, after a 401: another process may have rotated the session, so the record is loaded again.
 * - `keepFresh`: refreshes the session in the background before its access token expires.
 */
import * as Defect from "@effect-custody/core/Defect"
import * as OperatorLog from "@effect-custody/core/OperatorLog"
import { RefreshUnavailable, type SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import * as MutableRef from "effect/MutableRef"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { onReload } from "./decide.ts"
import type { Rotation } from "./rotation.ts"
import { type Key, sameSecret } from "./secrets.ts"
import type { Session } from "./Session.ts"
import * as SessionState from "./sessionState.ts"
import { now, uptime } from "./sessionState.ts"
import type { SessionTiming } from "./SessionTiming.ts"

type Rotating = Effect.Effect<AccessToken, SessionError>
type Result = Deferred.Deferred<AccessToken, SessionError>

export interface SingleFlight extends ReturnType<typeof singleFlight> {}

/**
 * One rotation at a time. Closing `scope` interrupts a rotation, or waits until the rotation can be interrupted. Callers
 * find the running rotation in `state`.
 */
export const singleFlight = (identity: string, scope: Scope.Scope, state: Ref.Ref<SessionState.SessionState>) => {
  /** The running rotation holds the permit. */
  const turn = Semaphore.makeUnsafe(1)

  const launch = (rotation: Rotating, result: Result): Effect.Effect<void> => {
    // A closed scope runs nothing, so the result would never complete.
    if (scope.state._tag === "Closed") return complete(result, Exit.interrupt())
    return Effect.interruptible(turn.withPermit(rotation)).pipe(
      Effect.onExit((exit) => complete(result, exit)),
      // Uninterruptible around the rotation, so the result completes even if the scope closes before the first step.
      Effect.forkIn(scope, { uninterruptible: true }),
      Effect.asVoid
    )
  }

  /** Callers of a rotation that died or was interrupted fail with `RefreshUnavailable`. */
  const complete = Effect.fnUntraced(function* (result: Result, exit: Exit.Exit<AccessToken, SessionError>) {
    yield* Ref.update(state, (now) => (now.rotation === result ? { ...now, rotation: undefined } : now))
    if (Exit.isSuccess(exit) || Cause.hasFails(exit.cause)) return yield* Deferred.done(result, exit)
    const isClosing = Cause.hasInterruptsOnly(exit.cause)
    if (!isClosing) yield* Defect.report(`${identity}: the rotation failed with a defect`, exit.cause)
    const reason = isClosing ? "the client is closing" : "an internal error"
    const retryAt = yield* DateTime.now
    return yield* Deferred.fail(result, new RefreshUnavailable({ identity, phase: "Stopped", reason, retryAt }))
  })

  const startOrJoin = (rotation: Rotating, isShared: boolean): Rotating =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const running = isShared ? Ref.getUnsafe(state).rotation : undefined
        if (running !== undefined) return restore(Deferred.await(running))
        const own: Result = Deferred.makeUnsafe()
        if (isShared) MutableRef.update(state.ref, (now) => ({ ...now, rotation: own }))
        return Effect.andThen(launch(rotation, own), restore(Deferred.await(own)))
      })
    )

  const idle = turn.withPermit(Effect.void)

  return {
    /** Joins the running rotation, or starts this one. */
    join: (rotation: Rotating): Rotating => startOrJoin(rotation, true),
    /** Runs this rotation after the running one, for this caller alone. */
    runAfter: (rotation: Rotating): Rotating => startOrJoin(rotation, false),
    idle,
    /** Waits until no rotation is under way, including one that has not begun to run. */
    settled: Effect.gen(function* () {
      for (let running = (yield* Ref.get(state)).rotation; running !== undefined;) {
        yield* Effect.exit(Deferred.await(running))
        running = (yield* Ref.get(state)).rotation
      }
      yield* idle
    })
  }
}

/** `true` if the token belongs to the session. If no token is given, only the generations are compared. */
const hasToken = (session: Session, generation: number, token: Redacted.Redacted | undefined): boolean =>
  session.generation === generation && (token === undefined || sameSecret(session.accessToken, token))

/** For this many milliseconds after a token's first use, some servers of the service may not know the token yet. */
const activation = 1_000

interface Options extends SessionState.Parts {
  readonly flight: SingleFlight
  readonly rotation: Rotation
  readonly apiKeys: SessionState.ApiKeys
}

/** Gives the newest token, and replaces a token that the service rejects. */
export const make = ({ apiKeys, flight, identity, rotation, state, store }: Options) => {
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

  const rotate = Effect.fnUntraced(function* (
    generation: number,
    rejected?: Redacted.Redacted
  ): Effect.fn.Return<AccessToken, SessionError> {
    const session = SessionState.liveSession(yield* state.get)
    if (session === undefined) return yield* recover
    return hasToken(session, generation, rejected) ? yield* replace(session) : SessionState.accessToken(session)
  })

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
    yield* OperatorLog.report("session.refused", `${identity.name}, generation ${generation}: ${key}`)
  })

  const reload = Effect.fnUntraced(function* (
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

  return {
    current: Effect.flatMap(state.get, (known) => {
      const token = SessionState.currentToken(known)
      return token === undefined ? recover : Effect.succeed(token)
    }),
    rotate,
    refresh,
    reload,
    /** Starts a session with this key, after the running rotation. */
    start: (key: Key) => flight.runAfter(rotation({ _tag: "Start", key, replaces: true }))
  }
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
