import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SessionTiming from "../SessionTiming.ts"
import { ApiKey } from "../TokenPair.ts"

/**
 * Which session to keep, and how.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The name of the session in its store, 1 to 255 characters. Default: `default`. */
  readonly identity?: string | undefined
  /** The one-time API key to start with when the store has no session. It is sent once, ever. */
  readonly apiKey?: Redacted.Redacted | undefined
  readonly timing?: Partial<SessionTiming.SessionTiming> | undefined
  /** The headers that an error keeps for the support. Default: `x-request-id`, `x-correlation-id` and `traceparent`. */
  readonly requestIdHeaders?: ReadonlyArray<string> | undefined
  /** Further secrets that no error may repeat, such as the key of the store. Those of the session are known. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

const Identity = Schema.String.pipe(
  Schema.check(
    Schema.isNonEmpty(),
    Schema.isMaxLength(255),
    // Stored as UTF-8, every lone surrogate would be the same: one session would be taken for another.
    Schema.makeFilter((name) => name.isWellFormed(), { message: "must be well-formed Unicode" })
  )
)
const isIdentity = Schema.is(Identity)
const isTiming = Schema.is(Schema.toType(SessionTiming.SessionTiming))
const encodeApiKey = Schema.encodeOption(ApiKey)

/** Whether a value is a `Redacted` string. `Redacted.make(process.env.X!)` is not one if the variable is not set. */
export const isSecret = Schema.is(Schema.Redacted(Schema.String))

export const apiKeyRule = "must be 1 to 255 characters, without white space at its beginning and end"

/** Whether an API key can be sent. One that was read from a file may end with a newline: the service would refuse it. */
export const isApiKey = (apiKey: Redacted.Redacted): boolean =>
  isSecret(apiKey) && Option.exists(encodeApiKey(apiKey), (key) => key.trim() === key)

export const validate = Effect.fnUntraced(function* ({
  apiKey,
  identity: name = "default",
  secrets = [],
  timing: given
}: Options) {
  const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
  if (!isIdentity(name)) return yield* invalid("identity", "must be 1 to 255 characters of well-formed Unicode")
  if (apiKey !== undefined && !isApiKey(apiKey)) return yield* invalid("apiKey", apiKeyRule)
  const wrong = secrets.findIndex((secret) => !isSecret(secret))
  if (wrong >= 0) return yield* invalid(`secrets.${wrong}`, "must be a Redacted text")
  const timing = { ...SessionTiming.standard, ...given }
  if (!isTiming(timing)) return yield* invalid("timing", "must be positive, finite durations")
  return { name, timing }
})
