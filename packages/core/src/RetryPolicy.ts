/**
 * When and how often a call is sent again: a `Schedule` per safety class, and the limits around it.
 *
 * What may be sent again at all is not part of a policy: a write that may have happened is never sent again, whatever
 * the schedule says.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Breaker from "effect/persistence/CircuitBreaker"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { ApiError } from "./ApiError.ts"
import type { Safety } from "./Contract.ts"
import { maxWindowSeconds } from "./internal/retryBudget.ts"
import * as Durations from "./internal/durations.ts"
import { ConfigurationInvalid, type SdkError } from "./SdkError.ts"
import type { SessionError } from "./SessionError.ts"

/**
 * The input of a schedule: the failure of the attempt after which the call may be sent again.
 *
 * @category models
 * @since 0.1.0
 */
export interface Failure {
  readonly error: ApiError | SdkError | SessionError
  /** How long the service asks to wait. The client waits at least as long, whatever the schedule says. */
  readonly retryAfter: Duration.Duration | undefined
}

/**
 * When to send a call again, and when to stop: any `Schedule` whose input is a {@link Failure}, or any value.
 *
 * @category models
 * @since 0.1.0
 */
export type RetrySchedule = Schedule.Schedule<unknown, Failure>

const BackoffSettings = Schema.Struct({
  /** How often a call is sent at most, the first time included. 1: never again. */
  attempts: Schema.Int.check(Schema.isGreaterThan(0)),
  /** The wait before the second attempt. It doubles each time, and varies by a fifth either way. */
  initialDelay: Durations.Wait,
  /** The longest wait between two attempts, unless the service asks for a longer one. */
  maxDelay: Durations.Wait
})

/**
 * The settings of {@link backoff}.
 *
 * @category models
 * @since 0.1.0
 */
export interface BackoffSettings extends Schema.Schema.Type<typeof BackoffSettings> {}

/**
 * An exponential schedule that knows its settings, so that {@link format} can print them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Backoff extends Schedule.Schedule<unknown> {
  readonly settings: BackoffSettings
}

const Limits = Schema.Struct({
  /**
   * The longest wait that a `Retry-After` may ask for. If the service asks for more, the call fails with the answer
   * instead of waiting.
   */
  maxRetryAfter: Durations.Wait,
  /**
   * How long the whole call may take, with every attempt, wait and rotation. When it passes, the error says what was
   * sent. The time limit of one attempt is a setting of the transport (`limits.attemptTimeout`).
   */
  deadline: Durations.Bound
})

/**
 * The policy of one safety class.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClassPolicy extends Schema.Schema.Type<typeof Limits> {
  readonly schedule: RetrySchedule
}

const BudgetSettings = Schema.Struct({
  /** As a share of the calls: 0.1 is one in ten. */
  ratio: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  /** Over how long both are counted: from 1 to 60 seconds. */
  window: Schema.Duration.check(
    Schema.makeFilter((window) => {
      const seconds = Duration.toSeconds(window)
      return (seconds >= 1 && seconds <= maxWindowSeconds) || `must be from 1 to ${maxWindowSeconds} seconds`
    })
  ),
  /** How many extra requests are allowed in a window, however few calls there are. */
  floor: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})

/**
 * How many requests there may be on top of the calls. All calls of a client share it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Budget extends Schema.Schema.Type<typeof BudgetSettings> {}

/**
 * A policy for each safety class, and the budget that they share. See {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export interface RetryPolicy extends Readonly<Record<Safety, ClassPolicy>> {
  readonly budget: Budget
}

const decode = <S extends Schema.Codec<unknown, unknown>>(schema: S, path: string, value: unknown): S["Type"] => {
  const decoded = Schema.decodeUnknownResult(Schema.toType(schema))(value)
  if (Result.isFailure(decoded)) {
    throw new ConfigurationInvalid({ option: "retry", reason: `${path}: ${decoded.failure.message}` })
  }
  return decoded.success
}

const backoffOf = (settings: BackoffSettings): Backoff =>
  Object.assign(
    Schedule.min([Schedule.exponential(settings.initialDelay, 2), Schedule.spaced(settings.maxDelay)]).pipe(
      Schedule.jittered,
      Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, settings.maxDelay))),
      Schedule.upTo({ times: settings.attempts - 1 })
    ),
    { settings }
  )

const standardBackoff: BackoffSettings = {
  attempts: 3,
  initialDelay: Duration.millis(200),
  maxDelay: Duration.seconds(5)
}

const classOf = (attempts: number): ClassPolicy => ({
  schedule: backoffOf({ ...standardBackoff, attempts }),
  maxRetryAfter: Duration.seconds(30),
  deadline: Duration.minutes(2)
})

/**
 * The default policy: three attempts for what may be repeated, two for what moves value and was certainly not done.
 *
 * @category policies
 * @since 0.1.0
 */
export const standard: RetryPolicy = {
  read: classOf(3),
  keyed: classOf(3),
  write: classOf(2),
  session: classOf(1),
  budget: { ratio: 0.1, window: Duration.seconds(10), floor: 10 }
}

/**
 * A jittered exponential schedule with a longest wait and a number of attempts: the one that most policies need.
 * Defaults: 3 attempts, 200 milliseconds, 5 seconds.
 *
 * @throws a {@link ConfigurationInvalid} if a setting is out of range
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 * import { Duration } from "effect"
 *
 * const patient = RetryPolicy.make({
 *   read: RetryPolicy.backoff({ attempts: 6, maxDelay: Duration.seconds(20) })
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const backoff = (settings: Partial<BackoffSettings> = {}): Backoff =>
  backoffOf(decode(BackoffSettings, "backoff", { ...standardBackoff, ...settings }))

/**
 * The options of {@link make} for a safety class: a schedule, or settings. Settings can have a schedule or parts of the
 * {@link backoff}, and the limits. The rest is taken from {@link standard}.
 *
 * @category models
 * @since 0.1.0
 */
export type ClassOptions =
  | RetrySchedule
  | (Partial<ClassPolicy> & { readonly [K in keyof BackoffSettings]?: never })
  | (Partial<BackoffSettings & Omit<ClassPolicy, "schedule">> & { readonly schedule?: never })

/**
 * The options of {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export type Options = { readonly [S in Safety]?: ClassOptions | undefined } & {
  readonly budget?: Partial<Budget> | undefined
}

const isSchedule = (options: ClassOptions): options is RetrySchedule => Schedule.isSchedule(options)

const settingsOf = (schedule: RetrySchedule): BackoffSettings | undefined =>
  "settings" in schedule ? (schedule as Backoff).settings : undefined

const classPolicy = (safety: Safety, options: ClassOptions | undefined): ClassPolicy => {
  const { schedule, ...limits } = standard[safety]
  if (options === undefined) return standard[safety]
  if (isSchedule(options)) return { schedule: options, ...limits }
  const { deadline = limits.deadline, maxRetryAfter = limits.maxRetryAfter, schedule: own, ...settings } = options
  if (own !== undefined && !Schedule.isSchedule(own)) {
    throw new ConfigurationInvalid({ option: "retry", reason: `${safety}.schedule: must be a Schedule` })
  }
  return {
    schedule: own ?? backoffOf(decode(BackoffSettings, safety, { ...settingsOf(schedule), ...settings })),
    ...decode(Limits, safety, { deadline, maxRetryAfter })
  }
}

/**
 * Makes a policy from {@link standard} and the given options. A class takes any `Schedule`, or settings.
 *
 * A schedule without an end is stopped by the deadline and the budget. `Retry-After` is a minimum under any schedule.
 *
 * @throws a {@link ConfigurationInvalid} if a setting is out of range
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 * import { Duration, Schedule } from "effect"
 *
 * const policy = RetryPolicy.make({
 *   read: Schedule.exponential("100 millis").pipe(Schedule.upTo({ times: 5 })),
 *   keyed: { schedule: Schedule.spaced("1 second"), deadline: Duration.seconds(30) },
 *   write: { attempts: 3 }
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): RetryPolicy => ({
  read: classPolicy("read", options.read),
  keyed: classPolicy("keyed", options.keyed),
  write: classPolicy("write", options.write),
  session: classPolicy("session", options.session),
  budget: decode(BudgetSettings, "budget", { ...standard.budget, ...options.budget })
})

/**
 * Sends every call once. The replay after a rotation still takes place, because it is not a retry.
 *
 * @category policies
 * @since 0.1.0
 */
export const none: RetryPolicy = make({
  read: { attempts: 1 },
  keyed: { attempts: 1 },
  write: { attempts: 1 },
  session: { attempts: 1 }
})

/**
 * The policy of the calls that it is provided to. If none is provided, the client's own is in force: its option `retry`,
 * or the policy that was provided to its layer. If that has none, {@link standard}.
 *
 * @category services
 * @since 0.1.0
 */
export const RetryPolicy = Context.Reference<RetryPolicy | undefined>("@effect-custody/core/RetryPolicy", {
  defaultValue: () => undefined
})

/**
 * Provides a policy to the calls of an effect.
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const once = Vaults.details().pipe(RetryPolicy.provide(RetryPolicy.none))
 * ```
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
 * Provides a policy to calls (`Effect.provide`), or to a client (`Layer.provide`) for the calls that have none of their
 * own. The option `retry` of the client takes precedence over it. A refresh of the session obeys only that option.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (policy: RetryPolicy): Layer.Layer<never> => Layer.succeed(RetryPolicy, policy)

/**
 * The shortest deadline that was asked for with {@link within}.
 *
 * @category services
 * @since 0.1.0
 */
export const Deadline = Context.Reference<Duration.Duration>("@effect-custody/core/RetryPolicy/Deadline", {
  defaultValue: () => Duration.infinity
})

/**
 * Gives the calls of an effect a shorter deadline: each ends by then, with an error that says what was sent. Use it
 * instead of `Effect.timeout`, which does not know what was sent: a payout would look as if it had not been made.
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const soon = Vaults.details().pipe(RetryPolicy.within("5 seconds"))
 * ```
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

const formatClass = ({ deadline, maxRetryAfter, schedule }: ClassPolicy): string => {
  const whole = `the whole call within ${Duration.format(deadline)}`
  const settings = settingsOf(schedule)
  if (settings?.attempts === 1) return `sent once, ${whole}`
  const attempts =
    settings === undefined
      ? "sent again by a custom schedule"
      : `sent at most ${settings.attempts} times, ` +
        `${Duration.format(settings.initialDelay)} to ${Duration.format(settings.maxDelay)} apart`
  return `${attempts}, a Retry-After of up to ${Duration.format(maxRetryAfter)} heeded, ${whole}`
}

/**
 * A policy as text: a line for each safety class, and one for the budget.
 *
 * @example
 * ```ts
 * import { RetryPolicy } from "@effect-custody/core"
 *
 * console.log(RetryPolicy.format(RetryPolicy.standard))
 * ```
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = ({ budget, ...classes }: RetryPolicy): string =>
  [
    ...(["read", "keyed", "write", "session"] as const).map((safety) => `${safety}: ${formatClass(classes[safety])}`),
    `budget: ${budget.ratio * 100} % of the calls of ${Duration.format(budget.window)}, or ${budget.floor}`
  ].join("\n")

/**
 * The circuit breaker of the calls that it is provided to, or of a client to whose layer it is provided, for its calls
 * that have none of their own. While it is open, they fail at once as not sent. Default: none.
 *
 * @category services
 * @since 0.1.0
 */
export const CircuitBreaker = Context.Reference<Breaker.CircuitBreaker | undefined>(
  "@effect-custody/core/RetryPolicy/CircuitBreaker",
  { defaultValue: () => undefined }
)

/**
 * Effect's circuit breaker, with one circuit per environment. An attempt counts as failed if it got no answer or a 5xx.
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
 *
 * @category layers
 * @since 0.1.0
 */
export const layerCircuitBreaker = (options: Parameters<typeof Breaker.make>[0]): Layer.Layer<never> =>
  Layer.effect(CircuitBreaker, Breaker.make(options)).pipe(Layer.provide(Breaker.layerStoreMemory()))
