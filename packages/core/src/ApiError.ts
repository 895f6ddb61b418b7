/**
 * The service's own answers that say no: one class per meaning, whatever code set a response carries.
 *
 * Specification: "Errors" (error body, authentication error codes, common error codes).
 */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** The codes of the specification, by what they mean. Both code sets meet here. */
export const codes = {
  InvalidApiKey: ["E00401"],
  ValidationFailed: ["E00402"],
  InvalidAccessToken: ["E01401", "E40001"],
  InvalidRefreshToken: ["E01402", "E40002"],
  TokenExpired: ["E01403", "E40003"],
  BadRequest: ["E40000"]
} as const

/** What every answer of the error kind tells. */
const told = {
  /** The endpoint that was called, such as `vaults.details`. */
  operation: Schema.String,
  /** HTTP status code. */
  status: Schema.Int,
  /** Human-readable summary. */
  message: Schema.String,
  /** The body's `errors`, whole: a summary and, on validation errors, a key per offending field. */
  errors: Schema.Record(Schema.String, Schema.Unknown)
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

/** E00401 (HTTP 400): the API key is not valid, or was used before. A person has to make a new one. */
export class InvalidApiKey extends Schema.TaggedError<InvalidApiKey>()("InvalidApiKey", {
  ...told,
  code: Schema.Literals(codes.InvalidApiKey)
}) {}

/** E00402, or any code on a 422: a field is missing or malformed. `fields` says which, and why. */
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>()("ValidationFailed", {
  ...told,
  code: Schema.UndefinedOr(Schema.String)
}) {
  /** Validation messages by field. */
  get fields(): Readonly<Record<string, ReadonlyArray<string>>> {
    return fieldMessages(this.errors)
  }
}

/** E01401 or E40001 (HTTP 401): the access token is missing or not valid. */
export class InvalidAccessToken extends Schema.TaggedError<InvalidAccessToken>()("InvalidAccessToken", {
  ...told,
  code: Schema.Literals(codes.InvalidAccessToken)
}) {}

/** E01402 or E40002 (HTTP 401): the refresh token is not valid, or no longer. */
export class InvalidRefreshToken extends Schema.TaggedError<InvalidRefreshToken>()("InvalidRefreshToken", {
  ...told,
  code: Schema.Literals(codes.InvalidRefreshToken)
}) {}

/** E01403 or E40003 (HTTP 498): the access token has expired. The SDK answers it by rotating; it is rarely seen. */
export class TokenExpired extends Schema.TaggedError<TokenExpired>()("TokenExpired", {
  ...told,
  code: Schema.Literals(codes.TokenExpired)
}) {}

/** E40000 (HTTP 400): the body or the query parameters are malformed. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", {
  ...told,
  code: Schema.Literals(codes.BadRequest)
}) {}

/** HTTP 404 with a code of the endpoint's own, or none: what the call names does not exist. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  ...told,
  code: Schema.UndefinedOr(Schema.String)
}) {}

/**
 * Any other answer of the error kind. Endpoints have codes of their own that the specification does not show: branch on
 * `code`, or on `status` where there is none.
 */
export class UnknownApiError extends Schema.TaggedError<UnknownApiError>()("UnknownApiError", {
  ...told,
  code: Schema.UndefinedOr(Schema.String),
  /** The body's first characters, if it was not the specification's error body. */
  body: Schema.optionalKey(Schema.String),
  /** How long the service asked to wait before the next try. */
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {}

/** Every class, by tag. */
const classes = {
  InvalidApiKey,
  ValidationFailed,
  InvalidAccessToken,
  InvalidRefreshToken,
  TokenExpired,
  BadRequest,
  NotFound,
  UnknownApiError
}

/** The tag of an answer of the error kind. */
export type Tag = keyof typeof classes

/** Any answer of the error kind. */
export type ApiError = InstanceType<(typeof classes)[Tag]>

/** The error body as the specification shows it. */
const Body = Schema.Struct({
  status: Schema.Int,
  message: Schema.String,
  errors: Schema.Record(Schema.String, Schema.Unknown),
  code: Schema.String
})

/** The codec of a class and the specification's error body. (An interface keeps the declarations of endpoints short.) */
export interface OnWire<C extends ApiError> extends Schema.Codec<C, typeof Body.Encoded> {}

/**
 * The codec of a class for an `HttpApiEndpoint`'s `error`: the specification's error body on the wire. The operation is
 * not on the wire: the client, which knows what it called, adds it.
 */
const onWire = <C extends ApiError>(
  tag: C["_tag"],
  status: number,
  ErrorClass: Schema.Codec<C, unknown> & (new (fields: any) => C)
): OnWire<C> =>
  Body.pipe(
    Schema.decodeTo(
      Schema.toType(ErrorClass),
      SchemaTransformation.transform({
        decode: (body: typeof Body.Type): C => new ErrorClass({ operation: "", ...body }),
        encode: ({ code, errors, message, status }: C) => ({ status, message, errors, code: code ?? "" })
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
  UnknownApiError: onWire("UnknownApiError", 500, UnknownApiError)
}

/** What `POST /auth/generate-tokens` can answer. */
export const generateTokens = [
  wire.InvalidApiKey,
  wire.ValidationFailed,
  wire.BadRequest,
  wire.UnknownApiError
] as const

/** What `POST /auth/refresh-token` can answer. */
export const refreshToken = [
  wire.InvalidRefreshToken,
  wire.ValidationFailed,
  wire.BadRequest,
  wire.UnknownApiError
] as const

/** What every endpoint can answer that takes an access token. */
export const authenticated = [
  wire.InvalidAccessToken,
  wire.InvalidRefreshToken,
  wire.TokenExpired,
  wire.ValidationFailed,
  wire.BadRequest,
  wire.UnknownApiError
] as const

/** The same, for endpoints that name a resource, which may not exist. */
export const authenticatedResource = [...authenticated, wire.NotFound] as const

/** The meaning of a code, or of a status where it alone has one. */
const tagOf = (status: number, code: string | undefined): Tag => {
  for (const [tag, known] of Object.entries(codes) as ReadonlyArray<[keyof typeof codes, ReadonlyArray<string>]>) {
    if (code !== undefined && known.includes(code)) return tag
  }
  return status === 422 ? "ValidationFailed" : status === 404 ? "NotFound" : "UnknownApiError"
}

const codeOf = (body: unknown): string | undefined =>
  Predicate.isReadonlyObject(body) && typeof body["code"] === "string" ? body["code"] : undefined

/** What an answer of the error kind means: by its code, or by its status where that alone has a meaning. */
export const meaning = (status: number, body: unknown): Tag => tagOf(status, codeOf(body))

/** An answer of the error kind as it came, `body` parsed if it was JSON. */
export interface Answer {
  readonly operation: string
  /** The HTTP status of the response, which stands above the body's own. */
  readonly status: number
  readonly body: unknown
  readonly text: string
  readonly retryAfter: UnknownApiError["retryAfter"]
}

/** Whether a body says all that it says in the fields of the specification's error body, as far as it has them. */
const isErrorBody = (body: Readonly<Record<string, unknown>> | undefined): boolean =>
  body !== undefined && (body["errors"] === undefined || Predicate.isReadonlyObject(body["errors"]))

/** How much of a body an error keeps, in characters. */
export const bodyLimit = 2_000

/**
 * The class of an answer: by its code, then by its status, and only what the endpoint declares. Everything else is an
 * {@link UnknownApiError} that keeps what came.
 */
export const fromAnswer = (answer: Answer, declared: ReadonlySet<string>): ApiError => {
  const body = Predicate.isReadonlyObject(answer.body) ? answer.body : undefined
  const code = codeOf(body)
  const fields = {
    operation: answer.operation,
    status: answer.status,
    message: typeof body?.["message"] === "string" ? body["message"] : `HTTP ${answer.status}`,
    errors: Predicate.isReadonlyObject(body?.["errors"]) ? body["errors"] : {},
    code
  }
  const tag = tagOf(answer.status, code)
  if (tag !== "UnknownApiError" && declared.has(tag)) return new classes[tag](fields as never)
  return new UnknownApiError({
    ...fields,
    ...(isErrorBody(body) ? {} : { body: answer.text.slice(0, bodyLimit) }),
    ...(answer.retryAfter === undefined ? {} : { retryAfter: answer.retryAfter })
  })
}

/** The members of `E` that can carry the code `C`, narrowed to it. */
export type WithCode<E, C extends string> = E extends { readonly _tag: Tag; readonly code: infer K }
  ? [Extract<C, K>] extends [never]
    ? never
    : E & { readonly code: Extract<C, K> }
  : never

/** `E` after the code `C` has been handled. */
export type WithoutCode<E, C extends string> = E extends { readonly _tag: Tag; readonly code: infer K }
  ? string extends K
    ? E
    : [Exclude<K, C>] extends [never]
      ? never
      : [Extract<K, C>] extends [never]
        ? E
        : E & { readonly code: Exclude<K, C> }
  : E

const carries = (error: unknown, wanted: string | ReadonlyArray<string>): boolean => {
  if (!Predicate.isReadonlyObject(error) || typeof error["_tag"] !== "string" || !(error["_tag"] in classes))
    return false
  const code = error["code"]
  return typeof code === "string" && (typeof wanted === "string" ? wanted === code : wanted.includes(code))
}

/**
 * Handles the answers that carry an E-code, and takes what it handled out of the error type. Branch on meaning with
 * `Effect.catchTag`; branch on the code itself with this one.
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
