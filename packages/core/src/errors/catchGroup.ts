/** Makes combinators that handle a group of errors. */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"

/** Handles the errors of a group, and removes them from the error type. */
export interface CatchGroup<G> {
  <E, A2, E2, R2>(
    f: (error: Extract<E, G>) => Effect.Effect<A2, E2, R2>
  ): <A, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, Exclude<E, G> | E2, R | R2>
  <A, E, R, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    f: (error: Extract<E, G>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, Exclude<E, G> | E2, R | R2>
}

/** Makes the combinator of a group. `isMember` must check the class, because other errors may have the same tags. */
export const make = <G>(isMember: (error: unknown) => error is G): CatchGroup<G> =>
  dual(2, <A, E, R, A2, E2, R2>(self: Effect.Effect<A, E, R>, f: (error: Extract<E, G>) => Effect.Effect<A2, E2, R2>) =>
    Effect.catchIf(self, (error): error is Extract<E, G> => isMember(error), f)
  )
