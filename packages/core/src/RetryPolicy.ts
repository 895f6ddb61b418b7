/**
 * When and how often a call is sent again. What may be sent again at all is not a setting: a write whose end is not
 * known never is.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { Safety } from "./Contract.ts"
import { ConfigurationInvalid } from "./SdkError.ts"

const Positive = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))

/** The settings of one safety class. */
export const ClassPolicy = Schema.Struct({
  /** How often a call is sent at most, the first time included. 1: never again. */
  attempts: Positive,
  /** The wait before the second attempt; it doubles each time, and is spread by a fifth either way. */
  initialDelay: Schema.Duration,
  /** The longest wait between two attempts, unless the service asks for a longer one. */
  maxDelay: Schema.Duration,
  /** The longest wait that a `Retry-After` may ask for: beyond it the call fails instead of waiting. */
  maxRetryAfter: Schema.Duration
})
export type ClassPolicy = typeof ClassPolicy.Type

/** What to do for each safety class. Plain data, to be read and printed. */
export const RetryPolicySchema = Schema.Struct({ read: ClassPolicy, keyed: ClassPolicy, write: ClassPolicy, session: ClassPolicy })
export interface RetryPolicy extends Schema.Schema.Type<typeof RetryPolicySchema> {}

const repeated: ClassPolicy = {
  attempts: 3,
  initialDelay: Duration.millis(200),
  maxDelay: Duration.seconds(5),
  maxRetryAfter: Duration.seconds(30)
}

/** Three attempts for what may be repeated, two for what moves value and was certainly not done. */
const defaults: RetryPolicy = {
  read: repeated,
  keyed: repeated,
  write: { ...repeated, attempts: 2 },
  session: { ...repeated, attempts: 1 }
}

/** The settings of {@link make}: each class may be given in part. */
export type Options = { readonly [S in Safety]?: Partial<ClassPolicy> | undefined }

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
    session: { ...defaults.session, ...options.session }
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
