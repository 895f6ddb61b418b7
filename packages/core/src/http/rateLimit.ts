/** The client's own rate limit: each request waits for its turn, the oldest first. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Semaphore from "effect/Semaphore"
import type { ExchangeResult } from "./Transport.ts"

/** Runs an exchange when its turn has come; if that takes too long, another result takes its place. */
export type InTurn = (
  exchange: Effect.Effect<ExchangeResult>,
  patience: Duration.Duration,
  tooLate: ExchangeResult
) => Effect.Effect<ExchangeResult>

const reason = "the store of the rate limit failed"
const storeFailed: ExchangeResult = { _tag: "NotAnswered", phase: "NotSent", reason }

/** A provided store shares the limit with other processes; without one, only this client has it. */
export const make = Effect.fnUntraced(function* (requestsPerSecond: number, key: string) {
  const own = yield* Layer.build(Layer.fresh(RateLimiter.layerStoreMemory))
  const store = Option.getOrElse(yield* Effect.serviceOption(RateLimiter.RateLimiterStore), () =>
    Context.get(own, RateLimiter.RateLimiterStore)
  )
  const limiter = yield* Effect.provideService(RateLimiter.make, RateLimiter.RateLimiterStore, store)
  const line = yield* Semaphore.make(1)
  // What is asked for too early is not reserved, so that a call which gives up leaves its turn to the others.
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
