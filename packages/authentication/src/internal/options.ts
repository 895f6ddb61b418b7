/** Checks the options of the layer. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SessionTiming from "../SessionTiming.ts"
import { ApiKey } from "../TokenPair.ts"
import type { Options } from "../TokenService.ts"

const Identity = Schema.String.pipe(
  Schema.check(
    Schema.isNonEmpty(),
    Schema.isMaxLength(255),
    // Stored as UTF-8, every lone surrogate would be the same: one session would be taken for another.
    Schema.makeFilter((name) => name.isWellFormed(), { message: "must be well-formed Unicode" })
  )
)
const isIdentity = Schema.is(Identity)
const isRedacted = Schema.is(Schema.toType(ApiKey))
const isTiming = Schema.is(Schema.toType(SessionTiming.SessionTiming))
const encodeApiKey = Schema.encodeOption(ApiKey)

/** Whether an API key can be sent: 1 to 255 characters. */
export const isApiKey = (apiKey: Redacted.Redacted): boolean =>
  isRedacted(apiKey) && encodeApiKey(apiKey)._tag === "Some"

/** The name and the timing, with defaults. */
export const validate = Effect.fnUntraced(function* ({ apiKey, identity: name = "default", timing: given }: Options) {
  const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
  if (!isIdentity(name)) return yield* invalid("identity", "must be 1 to 255 characters of well-formed Unicode")
  if (apiKey !== undefined && !isApiKey(apiKey)) return yield* invalid("apiKey", "must be 1 to 255 characters")
  const timing = { ...SessionTiming.standard, ...given }
  if (!isTiming(timing)) return yield* invalid("timing", "must be positive, finite durations")
  return { name, timing }
})
