/**
 * The service's error answers: one class per meaning, whichever of the two code sets an answer uses.
 *
 * Specification: "Errors" (error body, authentication error codes, common error codes).
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/**
 * The codes of the specification by meaning. The same meaning can have a code in each of the two code sets.
 *
 * @since 0.1.0
 * @category constants
 */
export const codes = {
  InvalidApiKey: ["E00401"],
  ValidationFailed: ["E00402"],
  InvalidAccessToken: ["E01401", "E40001"],
  InvalidRefreshToken: ["E01402", "E40002"],
  TokenExpired: ["E01403", "E40003"],
  BadRequest: ["E40000"]
} as const

/**
 * A code of the specification.
 *
 * @since 0.1.0
 * @category models
 */
export type Code = (typeof codes)[keyof typeof codes][number]

/**
 * The HTTP status and the message of each code of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const answers: Readonly<Record<Code, { readonly status: number; readonly message: string }>> = {
  E00401: { status: 400, message: "Invalid API key" },
  E00402: { status: 422, message: "Validation failed" },
  E01401: { status: 401, message: "Invalid access token" },
  E01402: { status: 401, message: "Invalid refresh token" },
  E01403: { status: 498, message: "Token has expired" },
  E40000: { status: 400, message: "Bad request" },
  E40001: { status: 401, message: "Invalid access token" },
  E40002: { status: 401, message: "Invalid refresh token" },
  E40003: { status: 498, message: "Token has expired" }
}

/** The fields of every error answer. */
const common = {
  /** The endpoint that was called, such as `vaults.details`. */
  operation: Schema.String,
  /** HTTP status code. */
  status: Schema.Int,
  /** The service's own message; if it sends none, a text such as `HTTP 502`. */
  summary: Schema.String,
  /** The body's `errors`: a summary and, on validation errors, a key for each offending field. */
  errors: Schema.Record(Schema.String, Schema.Unknown),
  /** The headers of the answer by which the service finds the request again, such as `x-request-id`. */
  requestIds: Schema.Record(Schema.String, Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed({})))
}

/** A line for a log: the operation, the status, the code, and the service's message. */
const messageOf = (error: {
  readonly operation: string
  readonly status: number
  readonly code: string | undefined
  readonly summary: string
}): string => {
  const { code, operation, status, summary } = error
  const head = `${operation}: HTTP ${status}${code === undefined ? "" : `, ${code}`}`
  return summary === `HTTP ${status}` ? head : `${head}: ${summary}`
}

/** Field messages by field name: the strings of the body's `errors`, without its summary. */
const fieldMessages = (errors: Readonly<Record<string, unknown>>): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    Object.entries(errors)
      .filter(([field]) => field !== "message")
      .map(([field, messages]) => [
        field,
        (Array.isArray(messages) ? messages : [messages]).filter((message) => typeof message === "string")
      ])
  )

/**
 * E00401 (HTTP 400): the API key is not valid, or was used before. A person has to make a new one.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidApiKey extends Schema.TaggedError<InvalidApiKey>("@effect-custody/core/ApiError/InvalidApiKey")(
  "InvalidApiKey",
  {
    ...common,
    code: Schema.Literals(codes.InvalidApiKey)
  }
) {
  override get message(): string {
    return messageOf(this)
  }
}

/**
 * E00402, or any unknown code with a 422: a field is missing or malformed. `fields` says which, and why.
 *
 * @since 0.1.0
 * @category errors
 */
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>(
  "@effect-custody/core/ApiError/ValidationFailed"
)("ValidationFailed", {
  ...common,
  code: Schema.UndefinedOr(Schema.String)
}) {
  override get message(): string {
    const fields = Object.entries(this.fields).map(([field, messages]) => `${field} ${messages.join(", ")}`)
    return [messageOf(this), ...fields].join("; ")
  }

  /** Validation messages by field. */
  get fields(): Readonly<Record<string, ReadonlyArray<string>>> {
    return fieldMessages(this.errors)
  }
}

/**
 * E01401 or E40001, or a 401 without a code: the access token is missing or not valid, and the store has no newer one.
 * If that lasts, the session was revoked, or belongs to another service.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidAccessToken extends Schema.TaggedError<InvalidAccessToken>(
  "@effect-custody/core/ApiError/InvalidAccessToken"
)("InvalidAccessToken", {
  ...common,
  code: Schema.UndefinedOr(Schema.Literals(codes.InvalidAccessToken)),
  /** Whether an API key is configured that was never sent: `TokenService.start` exchanges it for another session. */
  hasUnusedKey: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    const key = this.hasUnusedKey === true ? "the configured API key, which was never sent" : "a new API key"
    const advice = `If this lasts, start another session with ${key}: TokenService.start or, for a session file, custody session start --replace`
    return `${messageOf(this)}. ${advice}`
  }
}

/**
 * E01402 or E40002 (HTTP 401): the refresh token is not valid, or no longer.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRefreshToken extends Schema.TaggedError<InvalidRefreshToken>(
  "@effect-custody/core/ApiError/InvalidRefreshToken"
)("InvalidRefreshToken", {
  ...common,
  code: Schema.Literals(codes.InvalidRefreshToken)
}) {
  override get message(): string {
    return messageOf(this)
  }
}

/**
 * E01403 or E40003, or a 498 without a code: the access token has expired. The SDK rotates the session and repeats the call, so this
 * error is rare.
 *
 * @since 0.1.0
 * @category errors
 */
export class TokenExpired extends Schema.TaggedError<TokenExpired>("@effect-custody/core/ApiError/TokenExpired")(
  "TokenExpired",
  {
    ...common,
    code: Schema.UndefinedOr(Schema.Literals(codes.TokenExpired))
  }
) {
  override get message(): string {
    return messageOf(this)
  }
}

/**
 * E40000 (HTTP 400): the body or the query parameters are malformed.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadRequest extends Schema.TaggedError<BadRequest>("@effect-custody/core/ApiError/BadRequest")(
  "BadRequest",
  {
    ...common,
    code: Schema.Literals(codes.BadRequest)
  }
) {
  override get message(): string {
    return messageOf(this)
  }
}

/**
 * HTTP 404 with a code of the endpoint's own, or none: what the call names does not exist, unless it is a gateway that
 * does not know the path, or a cache that remembers an earlier answer. `isCertain` tells them apart.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotFound extends Schema.TaggedError<NotFound>("@effect-custody/core/ApiError/NotFound")("NotFound", {
  ...common,
  code: Schema.UndefinedOr(Schema.String),
  /**
   * Whether the service itself certainly says so, and says so now: by a code that the contract lists as `NotFound`,
   * under a 4xx other than 408, 429 and 499; or, where it lists none, by a 404 with a code in the specification's format,
   * `E` and five digits. An answer that a cache has kept, by its `Age` or its `X-Cache`, is never certain.
   */
  isCertain: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))
}) {
  override get message(): string {
    return messageOf(this)
  }
}

/**
 * HTTP 429, whatever code it carries: the service takes no more requests for a while. It did nothing. The SDK has waited
 * and sent again as often as the policy allows.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimited extends Schema.TaggedError<RateLimited>("@effect-custody/core/ApiError/RateLimited")(
  "RateLimited",
  {
    ...common,
    code: Schema.UndefinedOr(Schema.String),
    /** How long the service asked to wait before the next try. */
    retryAfter: Schema.optionalKey(Schema.Duration)
  }
) {
  override get message(): string {
    const { retryAfter } = this
    const wait = retryAfter === undefined ? "" : `. The service asks to wait ${Duration.format(retryAfter)}`
    return `${messageOf(this)}${wait}`
  }
}

/**
 * Any other error answer. Endpoints have codes of their own that the specification does not show: branch on `code`, or
 * on `status` if there is no code.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnknownApiError extends Schema.TaggedError<UnknownApiError>(
  "@effect-custody/core/ApiError/UnknownApiError"
)("UnknownApiError", {
  ...common,
  code: Schema.UndefinedOr(Schema.String),
  /** The first 2,000 characters of the body, if it is not the specification's error body, and bodies are kept. */
  body: Schema.optionalKey(Schema.String),
  /** How long the service asked to wait before the next try. */
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {
  override get message(): string {
    return messageOf(this)
  }
}

/**
 * Any error answer.
 *
 * @since 0.1.0
 * @category errors
 */
export type ApiError =
  | InvalidApiKey
  | ValidationFailed
  | InvalidAccessToken
  | InvalidRefreshToken
  | TokenExpired
  | BadRequest
  | NotFound
  | RateLimited
  | UnknownApiError

/**
 * The tag of an error answer.
 *
 * @since 0.1.0
 * @category models
 */
export type Tag = ApiError["_tag"]

/** The error body as the specification shows it. */
const Body = Schema.Struct({
  status: Schema.Int,
  message: Schema.String,
  errors: Schema.Record(Schema.String, Schema.Unknown),
  code: Schema.String
})

/**
 * The codec between an error class and the specification's error body. (An interface keeps the declarations of
 * endpoints short.)
 *
 * @since 0.1.0
 * @category codecs
 */
export interface OnWire<C extends ApiError> extends Schema.Codec<C, typeof Body.Encoded> {}

/**
 * The codec of a class for the `error` of an `HttpApiEndpoint`. The operation is not on the wire, so it is empty here. The
 * client does not use this codec: it reads answers with `internal/errorAnswer`.
 */
const onWire = <C extends ApiError>(
  tag: C["_tag"],
  status: number,
  ErrorClass: Schema.Codec<C, unknown> & (new (fields: any) => C)
): OnWire<C> =>
  Body.pipe(
    Schema.decodeTo(
      // The name of the component in an OpenAPI document, without the path of the package.
      Schema.toType(ErrorClass).annotate({ identifier: tag }),
      SchemaTransformation.transform({
        decode: ({ message, ...body }: typeof Body.Type): C =>
          new ErrorClass({ operation: "", summary: message, ...body }),
        encode: ({ code, errors, status, summary }: C) => ({ status, message: summary, errors, code: code ?? "" })
      })
    ),
    HttpApiSchema.status(status)
  ).annotate({ title: tag, custodyError: tag })

const wire = {
  InvalidApiKey: onWire("InvalidApiKey", 400, InvalidApiKey),
  ValidationFailed: onWire("ValidationFailed", 422, ValidationFailed),
  InvalidAccessToken: onWire("InvalidAccessToken", 401, InvalidAccessToken),
  InvalidRefreshToken: onWire("InvalidRefreshToken", 401, InvalidRefreshToken),
  TokenExpired: onWire("TokenExpired", 498, TokenExpired),
  BadRequest: onWire("BadRequest", 400, BadRequest),
  NotFound: onWire("NotFound", 404, NotFound),
  RateLimited: onWire("RateLimited", 429, RateLimited),
  UnknownApiError: onWire("UnknownApiError", 500, UnknownApiError)
}

/** Any endpoint can answer with these. */
const any = [
  wire.InvalidAccessToken,
  wire.InvalidRefreshToken,
  wire.TokenExpired,
  wire.ValidationFailed,
  wire.BadRequest,
  wire.RateLimited,
  wire.UnknownApiError
] as const

/**
 * The errors that `POST /auth/generate-tokens` declares: its own, and those of any endpoint.
 *
 * @since 0.1.0
 * @category codecs
 */
export const generateTokens = [wire.InvalidApiKey, ...any] as const

/**
 * The errors that `POST /auth/refresh-token` declares: those of any endpoint.
 *
 * @since 0.1.0
 * @category codecs
 */
export const refreshToken = any

/**
 * The errors that every endpoint with an access token declares: those of any endpoint.
 *
 * @since 0.1.0
 * @category codecs
 */
export const authenticated = any

/**
 * The errors of an endpoint that names a resource: those of {@link authenticated}, and `NotFound`.
 *
 * @since 0.1.0
 * @category codecs
 */
export const authenticatedResource = [...authenticated, wire.NotFound] as const

/**
 * An error answer, as an operation's `decodeError` takes it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  /** The HTTP status of the response. It takes precedence over the status in the body. */
  readonly status: number
  /** The body's JSON, or `undefined` if it is not JSON. */
  readonly body: unknown
  /** The body as it came, if the error may keep it. */
  readonly text?: string | undefined
  /** Headers by which the service finds the request again, as the error may keep them. */
  readonly requestIds?: Readonly<Record<string, string>> | undefined
  /** What the answer means, where a `WireContract` says so. */
  readonly tag?: Tag | undefined
  /** Whether only a code that a `WireContract` lists makes `NotFound` certain: it lists some, or calls 404 doubtful. */
  readonly listsNotFound?: boolean | undefined
  /** Whether a cache on the way has kept it, so that it makes no `NotFound` certain. */
  readonly isCached?: boolean | undefined
  /** How long the service asks to wait before the next request. */
  readonly retryAfter: UnknownApiError["retryAfter"]
}

/**
 * The members of `E` that can carry the code `C`, narrowed to it.
 *
 * @since 0.1.0
 * @category utility types
 */
export type WithCode<E, C extends string> = E extends ApiError
  ? [Extract<C, E["code"]>] extends [never]
    ? never
    : E & { readonly code: Extract<C, E["code"]> }
  : never

/**
 * `E` after the code `C` has been handled.
 *
 * @since 0.1.0
 * @category utility types
 */
export type WithoutCode<E, C extends string> = E extends ApiError
  ? string extends E["code"]
    ? E
    : [Exclude<E["code"], C>] extends [never]
      ? never
      : [Extract<E["code"], C>] extends [never]
        ? E
        : E & { readonly code: Exclude<E["code"], C> }
  : E

/** By the class: an error of the caller's own may have the same tag. */
const isApiError = Schema.is(
  Schema.Union([
    InvalidApiKey,
    ValidationFailed,
    InvalidAccessToken,
    InvalidRefreshToken,
    TokenExpired,
    BadRequest,
    NotFound,
    RateLimited,
    UnknownApiError
  ])
)

const carries = (error: unknown, wanted: string | ReadonlyArray<string>): boolean =>
  isApiError(error) &&
  error.code !== undefined &&
  (typeof wanted === "string" ? wanted === error.code : wanted.includes(error.code))

/**
 * Handles the answers that carry one of the given codes, and removes them from the error type. To branch on the
 * meaning of an answer, use `Effect.catchTag`.
 *
 * Specification: "Errors": "Clients should branch on code, not on the HTTP status alone."
 *
 * @example
 * ```ts
 * import { catchCode } from "@effect-custody/core"
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const details = Vaults.details().pipe(
 *   catchCode(["E01403", "E40003"], (error) => Effect.logError(`still expired after a rotation: ${error.message}`))
 * )
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const catchCode: {
  <const C extends string, E, A2, E2, R2>(
    code: C | ReadonlyArray<C>,
    f: (error: WithCode<E, C>) => Effect.Effect<A2, E2, R2>
  ): <A, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, WithoutCode<E, C> | E2, R | R2>
  <A, E, R, const C extends string, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    code: C | ReadonlyArray<C>,
    f: (error: WithCode<E, C>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, WithoutCode<E, C> | E2, R | R2>
} = dual(
  3,
  <A, E, R, const C extends string, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    code: C | ReadonlyArray<C>,
    f: (error: WithCode<E, C>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, WithoutCode<E, C> | E2, R | R2> =>
    Effect.catch(self, (error): Effect.Effect<A2, WithoutCode<E, C> | E2, R2> =>
      carries(error, code) ? f(error as WithCode<E, C>) : Effect.fail(error as WithoutCode<E, C>)
    )
)
