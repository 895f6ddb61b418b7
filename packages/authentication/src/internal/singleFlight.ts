/** One piece of work at a time, which runs in a scope of its own: whoever waits for it may go away. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

/** A single flight. */
export interface Flight<A, E> {
  /** Joins the work under way, or starts this. A caller that is interrupted, or runs out of time, changes nothing. */
  readonly join: (work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Waits until no work is under way. */
  readonly landed: Effect.Effect<void>
  readonly isUnderWay: () => boolean
}

/**
 * A flight in a scope: closing it interrupts the work where it can be interrupted, and waits for it where it can't.
 * `settle` gives those who wait an end of their type, even if the work came to grief in a way of its own.
 */
export const make = <A, E>(
  scope: Scope.Scope,
  settle: (exit: Exit.Exit<A, E>) => Effect.Effect<Exit.Exit<A, E>>
): Flight<A, E> => {
  let underWay: Deferred.Deferred<A, E> | undefined
  return {
    isUnderWay: () => underWay !== undefined,
    landed: Effect.suspend(() => (underWay === undefined ? Effect.void : Effect.exit(Deferred.await(underWay)))),
    join: (work) =>
      Effect.uninterruptibleMask((restore) => {
        if (underWay !== undefined) return restore(Deferred.await(underWay))
        // In a scope that is closed nothing starts, and nobody would ever hear of it.
        if (scope.state._tag === "Closed") return Effect.flatten(settle(Exit.interrupt()))
        const started = (underWay = Deferred.makeUnsafe<A, E>())
        return Effect.interruptible(work).pipe(
          Effect.onExit((exit) => {
            underWay = undefined
            return Effect.flatMap(settle(exit), (settled) => Deferred.done(started, settled))
          }),
          // Uninterruptible around the work: also a scope that closes before its first step leaves nobody waiting.
          Effect.forkIn(scope, { uninterruptible: true }),
          Effect.andThen(restore(Deferred.await(started)))
        )
      })
  }
}
