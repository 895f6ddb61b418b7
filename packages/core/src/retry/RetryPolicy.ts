/**
 * The policy of retries. A write that may have happened is never sent again, whatever the policy says.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type { ApiError } from "../errors/ApiError.ts"
import type { Safety } from "../endpoint/Declaration.ts"
import { type Budget, Deadline } from "./limits.ts"
import { ConfigurationInvalid, type SdkError } from "../errors/SdkError.ts"
import type { SessionError } from "../errors/SessionError.ts"

/**
 * The input of a schedule: the failure of the attempt after which the call may be sent again.
 *
 * @category models
 * @since 0.1.0
 */
export interface Failure {
  readonly error: ApiError | SdkError | SessionError
  /** The wait that the service asks for. The client waits at least as long, whatever the schedule says. */
  readonly retryAfter: Duration.Duration | undefined
}

/**
 * The policy of one safety class: see {@link ClassOptions}.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClassPolicy {
  readonly schedule: Schedule.Schedule<unknown, Failure>
  readonly maxRetryAfter: Duration.Duration
  readonly deadline: Duration.Duration
}

/**
 * A policy for each safety class. See {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export interface RetryPolicy extends Readonly<Record<Safety, ClassPolicy>> {
  /**
   * The limit on extra requests (retries and look-ups), relative to the calls of about the last 10 seconds. All calls
   * of a client share this budget.
   */
  readonly budget: Budget
}

/**
 * The options of {@link make} for a safety class. Without a `schedule`, `attempts`, `initialDelay` and `maxDelay`
 * define the waits.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClassOptions {
  readonly schedule?: ClassPolicy["schedule"] | undefined
  /** The longest `Retry-After` that a call waits for; after a longer one, it fails. Default: 30 seconds. */
  readonly maxRetryAfter?: Duration.Input | undefined
  /** The maximum duration of the whole call, with every attempt, wait and rotation. Default: 2 minutes. */
  readonly deadline?: Duration.Input | undefined
  /** The maximum number of attempts, including the first. Default: 3, for a write 2, for the session 6. */
  readonly attempts?: number | undefined
  /**
   * The wait before the second attempt. The wait doubles each time, and varies by up to a fifth. Default: 200
   * milliseconds.
   */
  readonly initialDelay?: Duration.Input | undefined
  /** The longest wait between two attempts, unless the service asks for a longer one. Default: 5 seconds. */
  readonly maxDelay?: Duration.Input | undefined
}

/**
 * The options of {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export type Options = { readonly [S in Safety]?: ClassOptions | undefined } & {
  readonly budget?: { readonly [K in keyof Budget]?: Budget[K] | undefined } | undefined
}

const invalid = (setting: string, rule: string) =>
  new ConfigurationInvalid({ option: `retry.${setting}`, reason: `must be ${rule}` })

const check = (isValid: boolean, setting: string, rule: string): Result.Result<void, ConfigurationInvalid> =>
  isValid ? Result.void : Result.fail(invalid(setting, rule))

const isWait = (wait: Duration.Duration): boolean => Duration.isFinite(wait) && !Duration.isNegative(wait)

const backoff = (
  attempts: number,
  initialDelay: Duration.Duration,
  maxDelay: Duration.Duration
): ClassPolicy["schedule"] =>
  Schedule.min([Schedule.exponential(initialDelay, 2), Schedule.spaced(maxDelay)]).pipe(
    Schedule.jittered,
    Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, maxDelay))),
    Schedule.upTo({ times: attempts - 1 })
  )

const classPolicy = (
  safety: Safety,
  defaultAttempts: number,
  options: ClassOptions = {}
): Result.Result<ClassPolicy, ConfigurationInvalid> =>
  Result.gen(function* () {
    const { attempts = defaultAttempts, schedule } = options
    yield* check(Number.isSafeInteger(attempts) && attempts > 0, `${safety}.attempts`, "a positive integer")
    yield* check(schedule === undefined || Schedule.isSchedule(schedule), `${safety}.schedule`, "a Schedule")
    const read = (
      name: "initialDelay" | "maxDelay" | "maxRetryAfter" | "deadline",
      standard: Duration.Input,
      isValid = isWait,
      rule = "a finite duration, zero or longer"
    ) =>
      Result.fromOption(Option.filter(Duration.fromInput(options[name] ?? standard), isValid), () =>
        invalid(`${safety}.${name}`, rule)
      )
    const initialDelay = yield* read("initialDelay", "200 millis")
    const maxDelay = yield* read("maxDelay", "5 seconds")
    const maxRetryAfter = yield* read("maxRetryAfter", "30 seconds")
    const deadline = yield* read("deadline", "2 minutes", Duration.isPositive, "a positive duration")
    return { schedule: schedule ?? backoff(attempts, initialDelay, maxDelay), maxRetryAfter, deadline }
  })

const makeBudget = ({ floor = 10, ratio = 0.1 }: NonNullable<Options["budget"]> = {}) =>
  Result.gen(function* () {
    yield* check(ratio >= 0 && ratio <= 1, "budget.ratio", "from 0 to 1")
    yield* check(Number.isSafeInteger(floor) && floor >= 0, "budget.floor", "an integer, zero or more")
    return { floor, ratio }
  })

const fromOptions = ({ budget, keyed, read, session, write }: Options) =>
  Result.all({
    read: classPolicy("read", 3, read),
    keyed: classPolicy("keyed", 3, keyed),
    write: classPolicy("write", 2, write),
    session: classPolicy("session", 6, session),
    budget: makeBudget(budget)
  })

/**
 * Makes a policy from {@link standard} and the options. Under any schedule, each wait is at least `Retry-After`. Fails
 * with {@link ConfigurationInvalid} if a setting is out of range.
 *
 * @example
 * ```ts
 * import { Custody, Environment, RetryPolicy } from "@effect-custody/sdk"
 * import { Config, Effect, Layer } from "effect"
 *
 * const live = Layer.unwrap(
 *   Effect.gen(function* () {
 *     const deadline = yield* Config.Duration("CUSTODY_DEADLINE")
 *     const retry = yield* RetryPolicy.make({ read: { attempts: 6, deadline } })
 *     return Custody.layer({ environment: Environment.emulator("http://127.0.0.1:4010/api/integration"), retry })
 *   })
 * )
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): Effect.Effect<RetryPolicy, ConfigurationInvalid> =>
  Effect.suspend(() => Effect.fromResult(fromOptions(options)))

/**
 * Makes a policy like {@link make}, for constant settings. Throws the {@link ConfigurationInvalid}.
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 * import { Schedule } from "effect"
 *
 * const policy = RetryPolicy.makeUnsafe({
 *   read: { attempts: 6, maxDelay: "20 seconds" },
 *   keyed: { schedule: Schedule.spaced("1 second"), deadline: "30 seconds" }
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeUnsafe = (options: Options): RetryPolicy => Result.getOrThrow(fromOptions(options))

/**
 * The default policy: three attempts for calls that may be repeated, and two for writes that certainly did nothing.
 *
 * @category policies
 * @since 0.1.0
 */
export const standard: RetryPolicy = makeUnsafe({})

/**
 * Sends every call once. The replay after a rotation still takes place, because it does not count as a retry. After any
 * failure of a refresh or of the store, the session pauses for `timing.cooldown`.
 *
 * @category policies
 * @since 0.1.0
 */
export const none: RetryPolicy = makeUnsafe({
  read: { attempts: 1 },
  keyed: { attempts: 1 },
  write: { attempts: 1 },
  session: { attempts: 1 }
})

/**
 * The policy in force: `yield* RetryPolicy.RetryPolicy`. The order of precedence: the policy that a program provides to
 * the calls, the client's option `retry`, the policy that a program provides to the client's layer, {@link standard}.
 *
 * The session obeys the schedule of the class `session` of the client's policy: after each failure in a row, the session
 * pauses for the next wait of the schedule, and after the last wait for `timing.cooldown`.
 *
 * @category services
 * @since 0.1.0
 */
export const RetryPolicy = Context.Reference<RetryPolicy>("@effect-custody/core/RetryPolicy", {
  defaultValue: () => standard
})

/**
 * Provides a policy to the calls of an effect: `Vaults.details().pipe(RetryPolicy.provide(RetryPolicy.none))`.
 *
 * @category combinators
 * @since 0.1.0
 */
export const provide: {
  (policy: RetryPolicy): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, policy: RetryPolicy): Effect.Effect<A, E, R>
} = dual(2, <A, E, R>(self: Effect.Effect<A, E, R>, policy: RetryPolicy): Effect.Effect<A, E, R> =>
  Effect.provideService(self, RetryPolicy, policy)
)

/**
 * Gives the calls of an effect a shorter deadline: `Vaults.details().pipe(RetryPolicy.within("5 seconds"))`. A call
 * that reaches the deadline fails with an error that says what was sent. Use `within` instead of `Effect.timeout`,
 * which does not know what was sent. After a timeout, a payout that was sent would look as if it had not been made.
 *
 * @category combinators
 * @since 0.1.0
 */
export const within: {
  (deadline: Duration.Input): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, deadline: Duration.Input): Effect.Effect<A, E, R>
} = dual(2, <A, E, R>(self: Effect.Effect<A, E, R>, deadline: Duration.Input): Effect.Effect<A, E, R> =>
  Effect.updateService(self, Deadline, (outer) => Duration.min(outer, Duration.fromInputUnsafe(deadline)))
)
