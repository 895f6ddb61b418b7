/**
 * When and how often a call is sent again. What may be sent again at all is not a setting: a write whose end is not
 * known never is.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Breaker from "effect/persistence/CircuitBreaker"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { Safety } from "./Contract.ts"
import { maxWindowSeconds } from "./internal/budget.ts"
import * as Durations from "./internal/durations.ts"
import { ConfigurationInvalid } from "./SdkError.ts"

const Positive = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))

/** The settings of one safety class. */
export const ClassPolicy = Schema.Struct({
  /** How often a call is sent at most, the first time included. 1: never again. */
  attempts: Positive,
  /** The wait before the second attempt; it doubles each time, and is spread by a fifth either way. */
  initialDelay: Durations.Wait,
  /** The longest wait between two attempts, unless the service asks for a longer one. */
  maxDelay: Durations.Wait,
  /** The longest wait that a `Retry-After` may ask for: beyond it the call fails instead of waiting. */
  maxRetryAfter: Durations.Wait,
  /**
   * How long the whole call may take, with every attempt, wait and rotation. Its passing says what was sent. How long
   * one attempt may take is a setting of the transport (`limits.attemptTimeout`).
   */
  deadline: Durations.Bound
})
export type ClassPolicy = typeof ClassPolicy.Type

/** How many requests there may be on top of the calls. Shared by all calls of a client. */
export const Budget = Schema.Struct({
  /** As a share of the calls: 0.1 is one in ten. */
  ratio: Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  /** Over how long both are counted: from 1 to 60 seconds. */
  window: Schema.Duration.pipe(
    Schema.check(
      Schema.makeFilter((window) => {
        const seconds = Duration.toSeconds(window)
        return (seconds >= 1 && seconds <= maxWindowSeconds) || `must be from 1 to ${maxWindowSeconds} seconds`
      })
    )
  ),
  /** How many there may be in a window however few calls there are. */
  floor: Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))
})
export interface Budget extends Schema.Schema.Type<typeof Budget> {}

/** What to do for each safety class, and how much of it. Plain data, to be read and printed. */
export const RetryPolicySchema = Schema.Struct({
  read: ClassPolicy,
  keyed: ClassPolicy,
  write: ClassPolicy,
  session: ClassPolicy,
  budget: Budget
})
export interface RetryPolicy extends Schema.Schema.Type<typeof RetryPolicySchema> {}

const repeated: ClassPolicy = {
  attempts: 3,
  initialDelay: Duration.millis(200),
  maxDelay: Duration.seconds(5),
  maxRetryAfter: Duration.seconds(30),
  deadline: Duration.minutes(2)
}

/** Three attempts for what may be repeated, two for what moves value and was certainly not done. */
const defaults: RetryPolicy = {
  read: repeated,
  keyed: repeated,
  write: { ...repeated, attempts: 2 },
  session: { ...repeated, attempts: 1 },
  budget: { ratio: 0.1, window: Duration.seconds(10), floor: 10 }
}

/** The settings of {@link make}: each may be given in part. */
export type Options = { readonly [S in Safety]?: Partial<ClassPolicy> | undefined } & {
  readonly budget?: Partial<Budget> | undefined
}

/**
 * A policy that differs from the default in what is given.
 *
 * @throws a {@link ConfigurationInvalid} if a number or duration is out of range
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 * import { Duration } from "effect"
 *
 * const patient = RetryPolicy.make({ read: { attempts: 6, maxDelay: Duration.seconds(20) } })
 * ```
 */
export const make = (options: Options): RetryPolicy => {
  const policy = Schema.decodeResult(Schema.toType(RetryPolicySchema))({
    read: { ...defaults.read, ...options.read },
    keyed: { ...defaults.keyed, ...options.keyed },
    write: { ...defaults.write, ...options.write },
    session: { ...defaults.session, ...options.session },
    budget: { ...defaults.budget, ...options.budget }
  })
  if (Result.isFailure(policy)) throw new ConfigurationInvalid({ option: "retry", reason: policy.failure.message })
  return policy.success
}

/** Everything is sent once. */
export const none: RetryPolicy = make({
  read: { attempts: 1 },
  keyed: { attempts: 1 },
  write: { attempts: 1 },
  session: { attempts: 1 }
})

/**
 * The policy of the calls it is provided to. Where none is provided, the client's own is in force, and where that has
 * none, the default.
 */
export const RetryPolicy = Context.Reference<RetryPolicy | undefined>("@effect-custody/core/RetryPolicy", {
  defaultValue: () => undefined
})

/** The policy that is in force where nothing else is said. */
export { defaults as standard }

/** A policy for everything below a layer. */
export const layer = (policy: RetryPolicy): Layer.Layer<never> => Layer.succeed(RetryPolicy, policy)

/**
 * A shorter deadline for the calls inside: each of them ends by then, and says what was sent. Use it in place of
 * `Effect.timeout`, which knows nothing of what was sent and would let a payout look as if it had not been made.
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const soon = Vaults.details().pipe(RetryPolicy.within("5 seconds"))
 * ```
 */
export const within =
  (deadline: Duration.Input) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateService(self, Deadline, (outer) => Duration.min(outer, Duration.fromInputUnsafe(deadline)))

/** The shortest deadline that was asked for with {@link within}. */
export const Deadline = Context.Reference<Duration.Duration>("@effect-custody/core/RetryPolicy/Deadline", {
  defaultValue: () => Duration.infinity
})

const inWords = ({ attempts, deadline, initialDelay, maxDelay, maxRetryAfter }: ClassPolicy): string => {
  const whole = `the whole call within ${Duration.format(deadline)}`
  if (attempts === 1) return `sent once, ${whole}`
  return (
    `sent at most ${attempts} times, ${Duration.format(initialDelay)} to ${Duration.format(maxDelay)} apart, ` +
    `a Retry-After of up to ${Duration.format(maxRetryAfter)} heeded, ${whole}`
  )
}

/**
 * A policy in words: a line for each safety class, and one for the budget.
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 *
 * console.log(RetryPolicy.format(RetryPolicy.standard))
 * ```
 */
export const format = ({ budget, ...classes }: RetryPolicy): string =>
  [
    ...(["read", "keyed", "write", "session"] as const).map((safety) => `${safety}: ${inWords(classes[safety])}`),
    `budget: ${budget.ratio * 100} % of the calls of ${Duration.format(budget.window)}, or ${budget.floor}`
  ].join("\n")

/**
 * A circuit breaker for everything below: while it is open, calls fail at once as not sent. None, unless provided.
 */
export const CircuitBreaker = Context.Reference<Breaker.CircuitBreaker | undefined>(
  "@effect-custody/core/RetryPolicy/CircuitBreaker",
  { defaultValue: () => undefined }
)

/**
 * Effect's circuit breaker, one circuit for each environment. An attempt counts as failed where it ended without an
 * answer, or with a 5xx or an answer that cannot be read.
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 * import { CircuitBreaker } from "effect/persistence"
 *
 * const breaker = RetryPolicy.layerCircuitBreaker({
 *   tripPolicy: CircuitBreaker.consecutive(20),
 *   openDuration: "10 seconds"
 * })
 * ```
 */
export const layerCircuitBreaker = (options: Parameters<typeof Breaker.make>[0]): Layer.Layer<never> =>
  Layer.effect(CircuitBreaker, Breaker.make(options)).pipe(Layer.provide(Breaker.layerStoreMemory()))

/** What the schedule looks at. */
export interface Failure {
  /** Whether the call may be sent again after it. */
  readonly mayResend: boolean
  readonly retryAfter: Duration.Duration | undefined
}

/** The waits of a safety class, for as long as a call may be sent again. */
export const schedule = (policy: RetryPolicy, safety: Safety): Schedule.Schedule<unknown, Failure> => {
  const { attempts, initialDelay, maxDelay, maxRetryAfter } = policy[safety]
  return Schedule.min([Schedule.exponential(initialDelay, 2), Schedule.spaced(maxDelay)]).pipe(
    Schedule.jittered,
    Schedule.upTo({ times: attempts - 1 }),
    Schedule.setInputType<Failure>(),
    Schedule.while(
      ({ input }) =>
        input.mayResend &&
        (input.retryAfter === undefined || Duration.isLessThanOrEqualTo(input.retryAfter, maxRetryAfter))
    ),
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.succeed(Duration.max(Duration.min(duration, maxDelay), input.retryAfter ?? Duration.zero))
    )
  )
}
