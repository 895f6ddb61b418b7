/**
 * The secrets that the authentication endpoints take and return, how they are compared, and how the record identifies an
 * API key: by its SHA-256, which does not reveal the key.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Id from "@effect-custody/core/Id"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"

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

/** Leaves out a value that cannot be read. The secret in the request is spent by then, so nothing may fail the decoding. */
const lenient = <S extends Schema.Top>(field: S) =>
  Schema.optionalKey(field.pipe(Schema.catchDecoding<S>(() => Effect.succeedNone)))

/** An instant, in milliseconds since the Unix epoch on the wire. */
const Expiry = Schema.Int.annotate({ examples: [1_763_629_800_000] }).pipe(
  Schema.decodeTo(
    Schema.DateTimeUtc,
    SchemaTransformation.transformEffect({
      decode: (millis, options) =>
        Option.match(DateTime.make(millis), {
          onNone: () =>
            Effect.fail(new SchemaIssue.InvalidValue({ expected: "a time in milliseconds" }, millis, options)),
          onSome: (time) => Effect.succeed(DateTime.toUtc(time))
        }),
      encode: (time) => Effect.succeed(DateTime.toEpochMillis(time))
    })
  )
)

/** The id of a vault, as the record of the vault has it. An integer on the wire, or a text as it came. */
const VaultId = Schema.Union([Schema.Int.annotate({ examples: [7] }), Schema.Unknown]).pipe(
  Schema.decodeTo(
    Schema.toType(Id.VaultId),
    SchemaTransformation.transformEffect({
      decode: (id, options) =>
        Schema.is(Id.VaultId)(String(id)) && (typeof id === "string" || Number.isSafeInteger(id))
          ? Effect.succeed(String(id) as Id.VaultId)
          : Effect.fail(new SchemaIssue.InvalidValue({ expected: "an integer or a text" }, id, options)),
      encode: (id) => Effect.succeed<unknown>(/^(?:0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id)
    })
  )
)

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
     * When the access token expires. On the wire, an integer of milliseconds since the Unix epoch. Absent if the service
     * sends anything else.
     */
    expiresAt: lenient(Expiry)
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
    /**
     * The vault that the API key belongs to, equal to the `id` of `Vaults.details()`. On the wire, an integer. Absent if
     * the service sends neither a number nor a text.
     */
    vaultId: lenient(VaultId)
  })
) {}

/** A one-time API key, with its SHA-256. */
export interface Key {
  readonly apiKey: Redacted.Redacted
  readonly fingerprint: string
}

export const fingerprintKey = (apiKey: Redacted.Redacted): string =>
  bytesToHex(sha256(utf8ToBytes(Redacted.value(apiKey))))

export const withFingerprint = (apiKey: Redacted.Redacted): Key => ({ apiKey, fingerprint: fingerprintKey(apiKey) })

/** Makes the mark that says that a process is about to send an API key. */
export const markKey = (fingerprint: string, owner: string): string => `${fingerprint} ${owner}`

/** `true` if a mark says that the API key was sent, or was about to be. */
export const isMarked = (marks: ReadonlyArray<string>, fingerprint: string): boolean =>
  marks.some((mark) => mark.startsWith(fingerprint))

/** `true` for a `Redacted` string. `Redacted.make(process.env.X!)` holds no string if the variable is not set. */
export const isSecret = Schema.is(Schema.Redacted(Schema.String))

export const sameSecret = (a: Redacted.Redacted | undefined, b: Redacted.Redacted | undefined): boolean =>
  a !== undefined && b !== undefined && Redacted.value(a) === Redacted.value(b)

const encodeApiKey = Schema.encodeOption(ApiKey)

export const apiKeyRule = "must be 1 to 255 characters, without white space at its beginning and end"

/** Says what is wrong with an API key that cannot be sent. */
export const describeApiKey = (apiKey: Redacted.Redacted): string =>
  isSecret(apiKey) ? apiKeyRule : "holds no text: the variable that it comes from is not set"

/** `true` if an API key can be sent. A key from a file may end with a newline, and the service would refuse it. */
export const isApiKey = (apiKey: Redacted.Redacted): boolean =>
  isSecret(apiKey) && Option.exists(encodeApiKey(apiKey), (key) => key.trim() === key)
