/** The client's own rate limit: requests take turns, the oldest first. */
import { type ExchangeResult, InTurn } from "@effect-custody/core/siblings/Transport"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Semaphore from "effect/Semaphore"

const reason = "the store of the rate limit failed"
const storeFailed: ExchangeResult = { _tag: "NotAnswered", phase: "NotSent", reason }

/** Makes the limit of a client. */
const make = Effect.fnUntraced(function* (requestsPerSecond: number, key: string) {
  const own = yield* Layer.build(Layer.fresh(RateLimiter.layerStoreMemory))
  const store = Option.getOrElse(yield* Effect.serviceOption(RateLimiter.RateLimiterStore), () =>
    Context.get(own, RateLimiter.RateLimiterStore)
  )
  const limiter = yield* Effect.provideService(RateLimiter.make, RateLimiter.RateLimiterStore, store)
  const line = yield* Semaphore.make(1)
  // A request does not reserve a turn, so that a call that gives up takes no turn from the others.
  const ask: Effect.Effect<void, RateLimiter.RateLimiterError> = Effect.suspend(() =>
    limiter.consume({
      key,
      limit: requestsPerSecond,
      window: "1 second",
      algorithm: "token-bucket",
      onExceeded: "fail"
    })
  ).pipe(
    Effect.asVoid,
    Effect.catchReason("RateLimiterError", "RateLimitExceeded", ({ retryAfter }) =>
      Effect.andThen(Effect.sleep(Duration.max(retryAfter, Duration.millis(1))), ask)
    )
  )
  const inTurn: InTurn = (exchange, patience, tooLate) =>
    Effect.timeoutOption(line.withPermit(ask), patience).pipe(
      Effect.matchEffect({
        onSuccess: (turn) => (Option.isSome(turn) ? exchange : Effect.succeed(tooLate)),
        onFailure: () => Effect.succeed(storeFailed)
      })
    )
  return inTurn
})

/**
 * Limits the requests per second that the calls of a client send. Further requests wait for their turn, at most until
 * their deadline. Clients with the same `key` share the limit, if they share a `RateLimiterStore` of Effect. Provide
 * this layer to `CustodyClient.layer`.
 */
export const layer = (limit: { readonly requestsPerSecond: number; readonly key: string }): Layer.Layer<never> =>
  Layer.effect(InTurn, make(limit.requestsPerSecond, limit.key))
