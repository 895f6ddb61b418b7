/**
 * Stores a new session before calls use it. If the store fails, reports the failure and repeats the write until it
 * succeeds.
 */
import * as OperatorLog from "@effect-custody/core/OperatorLog"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import type { AccessToken, SessionEvent } from "@effect-custody/core/TokenService"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Parts } from "../session/sessionState.ts"
import { endReason } from "../store/record.ts"
import type { Base } from "../store/recordStore.ts"
import { sameSecret } from "../endpoint/records.ts"
import { isNewer, pairId, type Session, type SessionRecord } from "../store/Session.ts"
import { renewalInterval } from "./lease.ts"

/** The maximum time, in milliseconds, to repeat writes to a failing store before the process ends or freezes. */
const maxShutdownMillis = 45_000

/**
 * Attempts an effect until it succeeds. After `timeLimit` without an answer the attempt continues, and the next attempt
 * begins in parallel. The pauses after failures grow up to a quarter of `timeLimit`.
 */
const untilSuccess = <A, E>(attempt: Effect.Effect<A, E>, timeLimit: Duration.Duration) =>
  Effect.gen(function* () {
    const success = yield* Deferred.make<A>()
    const attempts = yield* FiberSet.make()
    const begin = FiberSet.run(attempts, Effect.exit(Effect.tap(attempt, (value) => Deferred.succeed(success, value))))
    const attempting = Effect.gen(function* () {
      for (let pause = 100; ;) {
        const ended = yield* Effect.timeoutOption(Fiber.await(yield* begin), timeLimit)
        if (Option.isNone(ended)) continue
        yield* Effect.sleep(pause)
        pause = Math.min(2 * pause, Duration.toMillis(timeLimit) / 4)
      }
    })
    return yield* Effect.raceFirst(Deferred.await(success), attempting)
  }).pipe(Effect.scoped)

const noAnswer = new TokenStoreError({ operation: "compareAndSwap", reason: "no answer in time" })

export interface SessionWriter extends ReturnType<typeof make> {}

/** Writes an unstored session again on the fiber of `rewriter`. */
export const make = ({ identity, state, store, timing }: Parts, rewriter: FiberHandle.FiberHandle<void, never>) => {
  /**
   * After this time without an answer, the next write begins in parallel: soon enough to answer a challenge of the
   * lease.
   */
  const timeLimit = renewalInterval(timing)

  const persistUntilStored = (record: SessionRecord) => untilSuccess(store.persist(record), timeLimit)

  const writeOnShutdown = Effect.gen(function* () {
    const { unstored } = yield* state.get
    if (unstored === undefined) return
    const writing = persistUntilStored(unstored)
    // Try once more after the time limit, because a process that was frozen for all of this time has written nothing.
    const written = yield* Effect.timeoutOption(writing, maxShutdownMillis)
    if (Option.isSome(written) || Option.isSome(yield* Effect.timeoutOption(writing, timing.storeTimeout))) return
    yield* OperatorLog.report("session.dropped", `${identity.name}: the store did not take them`)
  })

  /** Uses a newer session from the store. If that session has ended, does nothing: the next call finds that it has ended. */
  const adoptLive = (record: SessionRecord, stored: Session) =>
    endReason(identity, record) === undefined ? state.adopt(stored) : Effect.undefined

  const onStored = Effect.fnUntraced(function* (session: Session, record: SessionRecord) {
    yield* state.update({ unstored: undefined })
    const { session: stored } = record
    if (stored !== undefined && isNewer(stored, session)) return void (yield* adoptLive(record, stored))
    const { session: used } = yield* state.get
    if (used === undefined || pairId(used) !== pairId(session)) return
    yield* state.update({ isDurable: true })
    yield* state.publish({ _tag: "Persisted", generation: session.generation })
  })

  const writeLater = (record: SessionRecord, session: Session, first: ReturnType<typeof store.persist>) =>
    Effect.gen(function* () {
      const stored = yield* Effect.raceFirst(
        Effect.catch(first, () => Effect.never),
        persistUntilStored(record)
      )
      // If `unstored` is another record by now, a newer session has replaced this one.
      const { unstored } = yield* state.get
      if (unstored === record) yield* onStored(session, stored)
    }).pipe(FiberHandle.run(rewriter))

  return {
    writeOnShutdown,

    /** Waits until the store has every session of this process, for at most `maxShutdownMillis`. */
    settled: Effect.asVoid(Effect.timeoutOption(FiberHandle.awaitEmpty(rewriter), maxShutdownMillis)),

    /**
     * Stores a session over `base`, and only then lets calls use the session. If the store fails, calls use the session
     * anyway, and the write is repeated in the background. Returns `undefined` if the store has a newer session that
     * has ended.
     */
    write: Effect.fnUntraced(function* (
      { record, session }: { readonly record: SessionRecord; readonly session: Session },
      base: Base,
      event: SessionEvent["_tag"] & ("Started" | "Rotated")
    ): Effect.fn.Return<AccessToken | undefined> {
      const orElse = () => Effect.fail(noAnswer)
      // The time limit ends only the wait: the first write continues, because it may be about to succeed.
      const first = Effect.interruptible(Fiber.join(yield* Effect.forkDetach(store.persist(record, base.version))))
      const written = yield* Effect.result(Effect.timeoutOrElse(first, { duration: timeLimit, orElse }))
      if (Result.isSuccess(written)) {
        yield* state.update({ unstored: undefined })
        const stored = written.success.session ?? session
        return sameSecret(stored.accessToken, session.accessToken)
          ? yield* state.use(stored, true, { _tag: event, generation: stored.generation })
          : yield* adoptLive(written.success, stored)
      }
      const { generation } = session
      const reason = written.failure.message
      yield* state.update({ unstored: record })
      const token = yield* state.use(session, false, { _tag: "NotPersisted", generation, reason })
      yield* OperatorLog.report("session.not_stored", `${identity.name}, generation ${generation}: ${reason}`)
      yield* writeLater(record, session, first)
      return token
    })
  }
}
