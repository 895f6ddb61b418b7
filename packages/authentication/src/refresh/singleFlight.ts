/**
 * Single flight: one rotation at a time in this process. The rotation runs on a fiber of the layer's scope, and callers
 * only wait for its result, so a caller that is interrupted or times out changes nothing.
 */
import * as Defect from "@effect-custody/core/Defect"
import { RefreshUnavailable, type SessionError } from "@effect-custody/core/SessionError"
import type { AccessToken } from "@effect-custody/core/TokenService"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as MutableRef from "effect/MutableRef"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { SessionState } from "../session/sessionState.ts"

type Rotation = Effect.Effect<AccessToken, SessionError>
type Result = Deferred.Deferred<AccessToken, SessionError>

export interface SingleFlight extends ReturnType<typeof make> {}

export const make = (options: {
  readonly identity: string
  /**
   * The scope of the rotations. Closing the scope interrupts a rotation, or waits until the rotation can be
   * interrupted.
   */
  readonly scope: Scope.Scope
  /** The state of the session. Callers find the running rotation in it. */
  readonly state: Ref.Ref<SessionState>
}) => {
  const { identity, scope, state } = options
  /** The running rotation holds the permit. */
  const turn = Semaphore.makeUnsafe(1)

  const launch = (rotation: Rotation, result: Result): Effect.Effect<void> => {
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

  const startOrJoin = (rotation: Rotation, isShared: boolean): Rotation =>
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
    join: (rotation: Rotation): Rotation => startOrJoin(rotation, true),
    /** Runs this rotation after the running one, for this caller alone. */
    runAfter: (rotation: Rotation): Rotation => startOrJoin(rotation, false),
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
