/** What you give to a session: its name, its API keys, its times. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { describeApiKey, isApiKey, isSecret } from "./secrets.ts"

const PositiveDuration = Schema.Duration.check(
  Schema.makeFilter((duration) => Duration.isFinite(duration) && Duration.isPositive(duration))
)

/**
 * The timing of a session. Each duration is positive and finite.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SessionTiming = Schema.Struct({
  /**
   * `false`: a refresh begins only during a call, not in the background. Use `false` in runtimes that freeze a process
   * between calls, such as Lambda: an answer that arrives during the freeze is read too late. Default: `true`.
   */
  proactive: Schema.Boolean,
  /** How long before expiry a background refresh begins; at most a fifth of the token's lifetime. Default: 60 s. */
  proactiveWindow: PositiveDuration,
  /** The maximum wait for the answer to a refresh. A closing client waits at most 30 s more. Default: 3 minutes. */
  requestTimeout: PositiveDuration,
  /** The maximum duration of one read or write of the store. Default: 10 s. */
  storeTimeout: PositiveDuration,
  /** A lease holder that is silent for this long counts as dead. Use the same value in every process. Default: 10 s. */
  leaseTimeout: PositiveDuration,
  /** The pause after a failed refresh, once the schedule of `RetryPolicy.session` has ended. Default: 5 s. */
  cooldown: PositiveDuration,
  /** The maximum `Retry-After` to obey. A longer value is cut to this. Default: 1 hour. */
  maxCooldown: PositiveDuration
})
/**
 * @since 0.1.0
 * @category models
 */
export type SessionTiming = typeof SessionTiming.Type

/**
 * The default times.
 *
 * @since 0.1.0
 * @category constants
 */
export const standard: SessionTiming = {
  proactive: true,
  proactiveWindow: Duration.seconds(60),
  requestTimeout: Duration.minutes(3),
  storeTimeout: Duration.seconds(10),
  leaseTimeout: Duration.seconds(10),
  cooldown: Duration.seconds(5),
  maxCooldown: Duration.hours(1)
}

type TimingOptions = {
  readonly [K in keyof SessionTiming]?:
    | (SessionTiming[K] extends Duration.Duration ? Duration.Input : boolean)
    | undefined
}

/**
 * The session to keep, and its settings.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionOptions {
  /** The name of the session in its store, 1 to 255 characters. Default: `default`. */
  readonly identity?: string | undefined
  /** The one-time API key to start with when the store has no session. The SDK sends it at most once. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** The session's times. Default: `standard`. */
  readonly timing?: TimingOptions | undefined
  /** The headers that an error keeps for support. Default: `x-request-id`, `x-correlation-id` and `traceparent`. */
  readonly requestIdHeaders?: ReadonlyArray<string> | undefined
  /** Further secrets that no error may repeat, such as the store's key. The session's secrets are always included. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

const Identity = Schema.String.pipe(
  Schema.check(
    Schema.isNonEmpty(),
    Schema.isMaxLength(255),
    // UTF-8 encodes all lone surrogates as the same text, so two sessions would share a row.
    Schema.makeFilter((name) => name.isWellFormed(), { message: "must be well-formed Unicode" })
  )
)
const isIdentity = Schema.is(Identity)
const isTiming = Schema.is(Schema.toType(SessionTiming))

/**
 * Checks the options, and returns the session's name and times with their defaults. Fails with `ConfigurationInvalid` if
 * an option is wrong.
 *
 * @since 0.1.0
 * @category validation
 */
export const validate = Effect.fnUntraced(function* ({
  apiKey,
  identity = "default",
  secrets = [],
  timing: configured
}: SessionOptions): Effect.fn.Return<
  { readonly identity: string; readonly timing: SessionTiming },
  ConfigurationInvalid
> {
  const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
  if (!isIdentity(identity)) return yield* invalid("identity", "must be 1 to 255 characters of well-formed Unicode")
  if (apiKey !== undefined && !isApiKey(apiKey)) return yield* invalid("apiKey", describeApiKey(apiKey))
  const wrong = secrets.findIndex((secret) => !isSecret(secret))
  if (wrong >= 0) return yield* invalid(`secrets.${wrong}`, "must be a Redacted text")
  const read = Object.entries(configured ?? {}).flatMap(([setting, value]) =>
    value === undefined
      ? []
      : [[setting, typeof value === "boolean" ? value : Option.getOrUndefined(Duration.fromInput(value))]]
  )
  const timing: unknown = { ...standard, ...Object.fromEntries(read) }
  if (!isTiming(timing)) return yield* invalid("timing", "must be positive, finite durations, and proactive a boolean")
  return { identity, timing }
})

/**
 * Provides API keys that were never used.
 *
 * @since 0.1.0
 * @category models
 */
export interface ApiKeySource {
  /**
   * A new, unused key for the session of this identity, or none for now. Called at most once per cooldown. No answer
   * within 30 seconds counts as none.
   */
  readonly next: (identity: string) => Effect.Effect<Option.Option<Redacted.Redacted>>
}

/**
 * The source of API keys. Default: none. With a source, a lost session starts again by itself. Without one, a person has
 * to call `TokenService.start`.
 *
 * Specification: "Flow", step 4: "obtain a new API key and start a new session".
 *
 * @example
 * ```ts
 * import { ApiKeySource } from "@effect-custody/authentication"
 * import { Effect, Layer, Option, Redacted } from "effect"
 *
 * const source = Layer.succeed(ApiKeySource, {
 *   next: (identity) => Effect.sync(() => Option.some(Redacted.make(`a fresh key for ${identity}`)))
 * })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export const ApiKeySource = Context.Reference<ApiKeySource>("@effect-custody/authentication/ApiKeySource", {
  defaultValue: () => ({ next: () => Effect.succeedNone })
})
