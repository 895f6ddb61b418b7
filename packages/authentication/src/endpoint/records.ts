/** The secrets that the authentication endpoints take and return. */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** Decodes a secret text to a `Redacted` that refuses JSON encoding, so that no queue or workflow stores the secret. */
const toRedacted = (text: Schema.Codec<string>) =>
  text.pipe(
    Schema.decodeTo(Schema.Redacted(Schema.String, { disallowJsonEncode: true }), {
      decode: SchemaGetter.transform((secret: string) => Redacted.make(secret)),
      encode: SchemaGetter.transform((secret: Redacted.Redacted) => Redacted.value(secret))
    })
  )

/**
 * A one-time API key of 1 to 255 characters. Encoding checks the length.
 *
 * Specification: "Limits".
 *
 * @since 0.1.0
 * @category schemas
 */
export const ApiKey = Schema.String.pipe(
  Schema.check(
    Schema.isNonEmpty({ message: "should not be empty" }),
    Schema.isMaxLength(255, { message: "must not exceed 255 characters" })
  ),
  toRedacted
)

/**
 * The refresh token. It works once.
 *
 * Specification: "Token session data".
 *
 * @since 0.1.0
 * @category schemas
 */
export const RefreshToken = Schema.String.annotate({ examples: ["a refresh token"] }).pipe(toRedacted)

/**
 * The access token, sent without a prefix in the `X-ACCESS-TOKEN` header.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AccessToken = Schema.String.annotate({ examples: ["an access token"] }).pipe(toRedacted)

const integerOrAny = (example: number) => Schema.Union([Schema.Int.annotate({ examples: [example] }), Schema.Unknown])

/**
 * The result of a refresh.
 *
 * @since 0.1.0
 * @category schemas
 */
export class TokenPair extends Schema.Opaque<TokenPair>()(
  Schema.Struct({
    accessToken: AccessToken,
    refreshToken: RefreshToken,
    /**
     * When the access token expires. The specification's sample is in milliseconds since the Unix epoch, but any value is
     * accepted.
     */
    expiresAt: Schema.optionalKey(integerOrAny(1_763_629_800_000))
  })
) {}

/**
 * The result of exchanging an API key.
 *
 * @since 0.1.0
 * @category schemas
 */
export class GeneratedTokens extends Schema.Opaque<GeneratedTokens>()(
  Schema.Struct({
    ...TokenPair.fields,
    /** The vault that the API key belongs to. The specification shows an integer. The SDK accepts any value. */
    vaultId: Schema.optionalKey(integerOrAny(7))
  })
) {}
