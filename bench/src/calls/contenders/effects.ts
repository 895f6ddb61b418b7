/** How contenders that are Effects run. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Run } from "../Contender.ts"
import type { JobName } from "../jobs.ts"

export type Calls<R> = Readonly<Record<JobName, Effect.Effect<unknown, unknown, R>>>

/** Builds the layer once, for as long as the process lives, and runs calls in its context. */
export const ofEffects = async <R>(calls: Calls<R>, layer: Layer.Layer<R, unknown>): Promise<Run> => {
  const context = await Effect.runPromise(Layer.buildWithScope(layer, Scope.makeUnsafe()))
  return (job, count, inFlight) => {
    const call = calls[job]
    const all = Effect.suspend(() => {
      let left = count
      const worker = Effect.whileLoop({ while: () => left-- > 0, body: () => call, step: () => {} })
      return Effect.forEach(Array.from({ length: inFlight }), () => worker, { concurrency: "unbounded", discard: true })
    })
    return Effect.runPromiseExit(Effect.provideContext(all, context)).then((exit) => {
      if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    })
  }
}
