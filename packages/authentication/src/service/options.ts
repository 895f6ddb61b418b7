/** The options of a session, and their validation. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SessionTiming from "../session/SessionTiming.ts"
import { apiKeyRule, isApiKey } from "../session/apiKeys.ts"
import { isSecret } from "../store/secrets.ts"

/**
 * The session to keep, and its settings.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The name of the session in its store, 1 to 255 characters. Default: `default`. */
  readonly identity?: string | undefined
  /** The one-time API key to start with when the store has no session. The SDK sends it at most once. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** The session's times. Default: `SessionTiming.standard`. */
  readonly timing?: TimingOptions | undefined
  /** The headers that an error keeps for support. Default: `x-request-id`, `x-correlation-id` and `traceparent`. */
  readonly requestIdHeaders?: ReadonlyArray<string> | undefined
  /** Further secrets that no error may repeat, such as the store's key. The session's secrets are always included. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

type TimingOptions = {
  readonly [K in keyof SessionTiming.SessionTiming]?:
    | (SessionTiming.SessionTiming[K] extends Duration.Duration ? Duration.Input : boolean)
    | undefined
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
const isTiming = Schema.is(Schema.toType(SessionTiming.SessionTiming))

export const readOptions = Effect.fnUntraced(function* ({
  apiKey,
  identity: name = "default",
  secrets = [],
  timing: configured
}: Options) {
  const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
  if (!isIdentity(name)) return yield* invalid("identity", "must be 1 to 255 characters of well-formed Unicode")
  if (apiKey !== undefined && !isApiKey(apiKey)) return yield* invalid("apiKey", apiKeyRule)
  const wrong = secrets.findIndex((secret) => !isSecret(secret))
  if (wrong >= 0) return yield* invalid(`secrets.${wrong}`, "must be a Redacted text")
  const read = Object.entries(configured ?? {}).flatMap(([setting, value]) =>
    value === undefined
      ? []
      : [[setting, typeof value === "boolean" ? value : Option.getOrUndefined(Duration.fromInput(value))]]
  )
  const timing: unknown = { ...SessionTiming.standard, ...Object.fromEntries(read) }
  if (!isTiming(timing)) return yield* invalid("timing", "must be positive, finite durations, and proactive a boolean")
  return { name, timing }
})
