/** The client's own rate limit: each request waits for its turn. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as OperatorLog from "../OperatorLog.ts"

/** Waits for a turn. A provided store shares the limit with other processes; without one, only this client has it. */
export const make = Effect.fnUntraced(function* (requestsPerSecond: number, key: string) {
  const shared = yield* Effect.serviceOption(RateLimiter.RateLimiterStore)
  const store = Option.isSome(shared)
    ? shared.value
    : Context.get(yield* Layer.build(Layer.fresh(RateLimiter.layerStoreMemory)), RateLimiter.RateLimiterStore)
  const limiter = yield* Effect.provideService(RateLimiter.make, RateLimiter.RateLimiterStore, store)
  const turn: Effect.Effect<void> = RateLimiter.sleep(limiter, {
    key,
    limit: requestsPerSecond,
    window: "1 second",
    algorithm: "token-bucket"
  }).pipe(
    // The limit protects the service, which has one of its own. A store that fails must not stop calls.
    Effect.catch((error) => OperatorLog.report("limit.not_kept", `${key}: ${error.message}`)),
    Effect.asVoid
  )
  return { turn }
})
