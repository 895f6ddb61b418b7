/**
 * What the authentication endpoints take and give.
 *
 * Specification: "Token session data", "Limits".
 */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/**
 * A one-time API key: not empty, at most 255 characters. Secret from the first moment. It is checked as it is written, so
 * that an error can say what is wrong with it.
 */
export const ApiKey = Schema.String.pipe(
  Schema.check(
    Schema.isNonEmpty({ message: "should not be empty" }),
    Schema.isMaxLength(255, { message: "must not exceed 255 characters" })
  ),
  Schema.decodeTo(Schema.Redacted(Schema.String), {
    decode: SchemaGetter.transform((key: string) => Redacted.make(key)),
    encode: SchemaGetter.transform((key: Redacted.Redacted) => Redacted.value(key))
  })
)

/** The latest refresh token. */
export const RefreshToken = Schema.RedactedFromValue(Schema.String)

/** The access token, sent raw in the `X-ACCESS-TOKEN` header. */
export const AccessToken = Schema.RedactedFromValue(Schema.String)

/** What a refresh gives. */
export const Tokens = Schema.Struct({
  accessToken: AccessToken,
  refreshToken: RefreshToken,
  /**
   * Expiry of the access token as the service sends it: an integer, in the sample milliseconds since the Unix epoch.
   * Whatever comes is kept: a token is never thrown away because its expiry cannot be read.
   */
  expiresAt: Schema.optionalKey(Schema.Unknown)
})
export interface Tokens extends Schema.Schema.Type<typeof Tokens> {}

/** What the exchange of an API key gives. */
export const GeneratedTokens = Schema.Struct({
  ...Tokens.fields,
  /** Identifier of the vault that the API key belongs to: an integer. Kept as it comes. */
  vaultId: Schema.optionalKey(Schema.Unknown)
})
export interface GeneratedTokens extends Schema.Schema.Type<typeof GeneratedTokens> {}
