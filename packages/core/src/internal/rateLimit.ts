/** The client's own rate limit: each request waits for its turn. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Defect from "../Defect.ts"
import * as OperatorLog from "../OperatorLog.ts"
import { secondsOf } from "./exchange.ts"
import * as WaitingLine from "./waitingLine.ts"

/** How long the store may take to answer. */
const storeLimit = Duration.seconds(1)

/** For how many seconds a store that has failed is not asked again. */
const pause = 10

const silence = `no answer in ${Duration.format(storeLimit)}`

const reasonOf = (cause: Cause.Cause<RateLimiter.RateLimiterError | Cause.TimeoutError>): string =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => "its code has failed",
    onSome: (error) => (error._tag === "TimeoutError" ? silence : error.message)
  })

/**
 * Asks the store for a turn. Gives how long to wait before asking again, and `undefined` if this is a turn. What is
 * asked for too early is not reserved, so that a call which gives up leaves its turn to the others.
 */
const makeAsk = (limiter: RateLimiter.RateLimiter, requestsPerSecond: number, key: string) => {
  let notBefore = 0
  // For how long calls have waited for an answer, each in vain because it gave up before the time limit, and until when.
  let silent = 0
  let countedUntil = 0
  const consume = Effect.suspend(() =>
    limiter.consume({
      key,
      limit: requestsPerSecond,
      window: "1 second",
      algorithm: "token-bucket",
      onExceeded: "fail"
    })
  ).pipe(
    Effect.as(undefined),
    Effect.catchReason("RateLimiterError", "RateLimitExceeded", ({ retryAfter }) => Effect.succeed(retryAfter)),
    Effect.timeout(storeLimit)
  )
  const failed = (now: number, reason: string): Effect.Effect<void> => {
    notBefore = now + pause
    silent = 0
    return OperatorLog.report("limit.not_kept", `${key}: ${reason}`)
  }
  return Effect.clockWith((clock) => {
    const began = secondsOf(clock)
    if (began < notBefore) return Effect.undefined
    return consume.pipe(
      Effect.onInterrupt(() => {
        const now = secondsOf(clock)
        silent += now - Math.max(began, countedUntil)
        countedUntil = now
        const isLong = silent >= Duration.toSeconds(storeLimit) && now >= notBefore
        return isLong ? failed(now, silence) : Effect.void
      }),
      Effect.tap(() => Effect.sync(() => void (silent = 0))),
      // The limit protects the service, which has one of its own. A store that fails must not stop calls.
      Effect.catchCause((cause) => {
        const now = secondsOf(clock)
        if (now < notBefore) return Effect.undefined
        const told = failed(now, reasonOf(cause))
        return Cause.hasDies(cause) ? Effect.andThen(told, Defect.report("the RateLimiterStore failed", cause)) : told
      }),
      Effect.map((wait) => wait ?? undefined)
    )
  })
}

/** Waits for a turn. A provided store shares the limit with other processes; without one, only this client has it. */
export const make = Effect.fnUntraced(function* (requestsPerSecond: number, key: string) {
  const shared = yield* Effect.serviceOption(RateLimiter.RateLimiterStore)
  const store = Option.isSome(shared)
    ? shared.value
    : Context.get(yield* Layer.build(Layer.fresh(RateLimiter.layerStoreMemory)), RateLimiter.RateLimiterStore)
  const limiter = yield* Effect.provideService(RateLimiter.make, RateLimiter.RateLimiterStore, store)
  const ask = makeAsk(limiter, requestsPerSecond, key)
  const line = WaitingLine.make()
  const after = (wait: Duration.Duration | undefined): Effect.Effect<void> =>
    wait === undefined
      ? Effect.void
      : Effect.andThen(
          Effect.sleep(Duration.millis(Math.max(1, Math.ceil(Duration.toMillis(wait))))),
          Effect.flatMap(ask, after)
        )
  const inLine = line.enter(Effect.flatMap(ask, after))
  const turn: Effect.Effect<void> = Effect.suspend(() =>
    // Only the first in the line asks. Nobody is in it while the store refuses no one.
    line.isEmpty() ? Effect.flatMap(ask, (wait) => (wait === undefined ? Effect.void : inLine)) : inLine
  )
  return { turn }
})
