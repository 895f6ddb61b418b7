/**
 * The service's error answers. The specification has two sets of codes; codes with the same meaning have one class.
 *
 * Specification: "Errors" (error body, authentication error codes, common error codes).
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as Struct from "effect/Struct"
import * as CatchGroup from "./catchGroup.ts"

/**
 * The specification's codes by meaning. A meaning can have a code in each of the two sets.
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
 * The tag of the class that has a code of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const tagByCode: ReadonlyMap<string, keyof typeof codes> = new Map(
  Struct.keys(codes).flatMap((tag) => codes[tag].map((code) => [code, tag] as const))
)

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

/**
 * The fields of every error answer, and a message of one line for a log. Extend it for an error of your own endpoint.
 *
 * @example
 * ```ts
 * import { ApiError } from "@effect-custody/core"
 * import { Schema } from "effect"
 *
 * class LimitReached extends ApiError.ErrorAnswer.extend<LimitReached>("app/LimitReached")({
 *   _tag: Schema.tag("LimitReached"),
 *   code: Schema.Literal("E70001")
 * }) {}
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class ErrorAnswer extends Schema.Error<ErrorAnswer>("@effect-custody/core/ApiError")({
  /** The endpoint of the call, such as `vaults.details`. */
  operation: Schema.String,
  /** The HTTP status code. */
  status: Schema.Int,
  code: Schema.UndefinedOr(Schema.String),
  /** The service's message or, if the service sends none, a text such as `HTTP 502`. */
  summary: Schema.String,
  /** The body's `errors`: a summary and, on validation errors, a key for each offending field. */
  errors: Schema.Record(Schema.String, Schema.Unknown),
  /** The headers by which the service's support finds the request, such as `x-request-id`. */
  requestIds: Schema.Record(Schema.String, Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed({})))
}) {
  override get message(): string {
    const { code, operation, status, summary } = this
    const head = `${operation}: HTTP ${status}${code === undefined ? "" : `, ${code}`}`
    const line = summary === `HTTP ${status}` ? head : `${head}: ${summary}`
    if (status !== 422) return line
    const fields = Object.entries(this.fields).flatMap(([field, messages]) =>
      messages.length === 0 ? [] : [`${field} ${messages.join(", ")}`]
    )
    return [line, ...fields].join("; ")
  }

  /** Messages by field: the texts of the body's `errors`, without its summary. A 422 has them. */
  get fields(): Readonly<Record<string, ReadonlyArray<string>>> {
    return Object.fromEntries(
      Object.entries(this.errors)
        .filter(([field]) => field !== "message")
        .map(([field, messages]) => [field, [messages].flat().filter(Predicate.isString)])
    )
  }
}

/**
 * E00401 (HTTP 400): the API key is not valid, or was used before. A person has to create a new API key.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidApiKey extends ErrorAnswer.extend<InvalidApiKey>("@effect-custody/core/ApiError/InvalidApiKey")({
  _tag: Schema.tag("InvalidApiKey"),
  code: Schema.Literals(codes.InvalidApiKey)
}) {}

/**
 * E00402, or a 422 of the service without a code: a field is missing or malformed. `fields` says which field, and why. A
 * 422 with another code, which only its endpoint has, is an `OtherApiError`.
 *
 * @since 0.1.0
 * @category errors
 */
export class ValidationFailed extends ErrorAnswer.extend<ValidationFailed>(
  "@effect-custody/core/ApiError/ValidationFailed"
)({
  _tag: Schema.tag("ValidationFailed"),
  code: Schema.UndefinedOr(Schema.Literals(codes.ValidationFailed))
}) {}

/**
 * E01401 or E40001, or a 401 of the service without a code: the access token is missing or not valid, and the store has
 * no newer one. If the error persists, the session was revoked, or belongs to another service.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidAccessToken extends ErrorAnswer.extend<InvalidAccessToken>(
  "@effect-custody/core/ApiError/InvalidAccessToken"
)({
  _tag: Schema.tag("InvalidAccessToken"),
  code: Schema.UndefinedOr(Schema.Literals(codes.InvalidAccessToken))
}) {
  override get message(): string {
    return (
      `${super.message}. If this lasts, start another session with an unused API key: TokenService.start or, ` +
      `for a session file, custody session start --replace`
    )
  }
}

/**
 * E01402 or E40002 (HTTP 401): the refresh token is not valid, or no longer valid.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRefreshToken extends ErrorAnswer.extend<InvalidRefreshToken>(
  "@effect-custody/core/ApiError/InvalidRefreshToken"
)({ _tag: Schema.tag("InvalidRefreshToken"), code: Schema.Literals(codes.InvalidRefreshToken) }) {}

/**
 * E01403 or E40003, or a 498 without a code: the access token has expired. The SDK rotates the session and repeats the
 * call, so this error is rare.
 *
 * @since 0.1.0
 * @category errors
 */
export class TokenExpired extends ErrorAnswer.extend<TokenExpired>("@effect-custody/core/ApiError/TokenExpired")({
  _tag: Schema.tag("TokenExpired"),
  code: Schema.UndefinedOr(Schema.Literals(codes.TokenExpired))
}) {
  override get message(): string {
    // A request of the session itself sends no access token.
    if (this.operation.startsWith("authentication.")) return super.message
    return `${super.message}. The tokens of two new rotations were refused too: see whether the clocks are right`
  }
}

/**
 * E40000 (HTTP 400): the body or the query parameters are malformed.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadRequest extends ErrorAnswer.extend<BadRequest>("@effect-custody/core/ApiError/BadRequest")({
  _tag: Schema.tag("BadRequest"),
  code: Schema.Literals(codes.BadRequest)
}) {}

/**
 * A 404 of the service without a code, or with a code that only this endpoint has: the resource does not exist, unless a
 * cache answered. `isCertain` is `true` if the service certainly answered.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotFound extends ErrorAnswer.extend<NotFound>("@effect-custody/core/ApiError/NotFound")({
  _tag: Schema.tag("NotFound"),
  /**
   * `true` if the answer is certainly the service's own, and not from a gateway or a cache. If a contract
   * says what codes mean, the answer has one that means `NotFound`, and a 4xx status other than 408, 429 and 499. Without
   * one, the answer is a 404 with a code of `E` and five digits.
   */
  isCertain: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))
}) {}

/**
 * HTTP 429 with any code: the service did nothing. The SDK has already retried as often as the policy allows.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimited extends ErrorAnswer.extend<RateLimited>("@effect-custody/core/ApiError/RateLimited")({
  _tag: Schema.tag("RateLimited"),
  /** The wait that the service asked for. */
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {
  override get message(): string {
    const { retryAfter } = this
    const wait = retryAfter === undefined ? "" : `. The service asks to wait ${Duration.format(retryAfter)}`
    return `${super.message}${wait}`
  }
}

/**
 * Any other error answer, and each one that is not the service's own. Endpoints have codes of their own that the
 * specification does not show. Branch on `code`, or on `status` if there is no code.
 *
 * @since 0.1.0
 * @category errors
 */
export class OtherApiError extends ErrorAnswer.extend<OtherApiError>("@effect-custody/core/ApiError/OtherApiError")({
  _tag: Schema.tag("OtherApiError"),
  /**
   * The first 2,000 characters of the body. Only with `diagnostics: "bodies"`, and only if the body does not have the
   * form of the specification's error body.
   */
  body: Schema.optionalKey(Schema.String),
  /** The wait that the service asked for. */
  retryAfter: Schema.optionalKey(Schema.Duration),
  /**
   * `true` if the answer is not the service's own, such as a page of a proxy. Then `summary` describes it. An error
   * answer is the service's own if its body has a `code` of `E` and five digits, or a `status` that repeats the HTTP
   * status beside a text `message`, or if a contract recognises it.
   */
  isForeign: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))
}) {}

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
  | OtherApiError

/**
 * The error answers of every endpoint with an access token.
 *
 * @since 0.1.0
 * @category errors
 */
export type AnswerError = Exclude<ApiError, InvalidApiKey | NotFound>

/**
 * The tag of an {@link ApiError}.
 *
 * @since 0.1.0
 * @category models
 */
export type Tag = ApiError["_tag"]

/**
 * `true` if a value is an error answer of the SDK. Checks the class, because an error of your own may have the same tag.
 *
 * @since 0.1.0
 * @category guards
 */
export const isApiError = Schema.is(ErrorAnswer) as (error: unknown) => error is ApiError

/**
 * The class of an error answer: a class of this module, or one of your own with a `_tag`. An answer becomes the first of
 * an endpoint's own classes whose fields fit: `operation`, `status`, `code`, `summary`, `errors`, `requestIds`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ErrorClass extends Schema.Codec<{ readonly _tag: string }, any> {
  readonly fields: { readonly _tag: Schema.Top } & Schema.Struct.Fields
}

/**
 * The tag of an error class.
 *
 * @since 0.1.0
 * @category getters
 */
export const tagOf = ({ fields }: ErrorClass): string => String((fields._tag.ast as SchemaAST.Literal).literal)

/**
 * The error answers of every endpoint.
 *
 * @since 0.1.0
 * @category constants
 */
export const ofEvery = [
  InvalidAccessToken,
  InvalidRefreshToken,
  TokenExpired,
  ValidationFailed,
  BadRequest,
  RateLimited,
  OtherApiError
] as const

/**
 * The tags of the error answers of every endpoint.
 *
 * @since 0.1.0
 * @category constants
 */
export const ofEveryEndpoint: ReadonlySet<string> = new Set(ofEvery.map(tagOf))

/**
 * Handles every error answer of the service. The error type then has only `OutcomeUnknown` and the errors of the
 * transport, the input and the session.
 *
 * @example
 * ```ts
 * import { catchRefused } from "@effect-custody/core"
 * import { Clients } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const client = Clients.get({ externalId: "alice" }).pipe(catchRefused((error) => Effect.logError(error.message)))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const catchRefused: CatchGroup.CatchGroup<ApiError> = CatchGroup.make(isApiError)

/** The codes of the specification that a class has. */
type Known<T extends string> = T extends keyof typeof codes ? (typeof codes)[T][number] : never

/** The codes of `C` that a class may have. A code of the specification belongs to one class. */
type CodesOf<E extends ApiError, C extends string> =
  | Extract<C, Known<E["_tag"]>>
  | (string extends E["code"] ? Exclude<C, Code> : never)

/** The members of `E` that can have the code `C`, narrowed to that code. */
type WithCode<E, C extends string> = E extends ApiError
  ? [CodesOf<E, C>] extends [never]
    ? never
    : E & { readonly code: CodesOf<E, C> }
  : never

/** `E` after the code `C` has been handled. */
type WithoutCode<E, C extends string> = E extends ApiError
  ? string extends E["code"]
    ? E
    : [Exclude<E["code"], C>] extends [never]
      ? never
      : [Extract<E["code"], C>] extends [never]
        ? E
        : E & { readonly code: Exclude<E["code"], C> }
  : E

const hasCode = (error: unknown, codes: string | ReadonlyArray<string>): boolean =>
  isApiError(error) &&
  error.code !== undefined &&
  [codes].flat().includes(error.code) &&
  (tagByCode.get(error.code) ?? error._tag) === error._tag

/** Any code of the service. An editor completes the specification's codes. */
type AnyCode = Code | (string & {})

/**
 * Handles the error answers with one of these codes, and removes them from the error type. A code of the specification
 * belongs to one class. An error of another class with that code, such as a 429, is not handled. To branch on the
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
 * const details = Vaults.details().pipe(catchCode(["E01403", "E40003"], (error) => Effect.logError(error.message)))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const catchCode: {
  <const C extends AnyCode, E, A2, E2, R2>(
    code: C | ReadonlyArray<C>,
    f: (error: WithCode<E, C>) => Effect.Effect<A2, E2, R2>
  ): <A, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, WithoutCode<E, C> | E2, R | R2>
  <A, E, R, const C extends AnyCode, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    code: C | ReadonlyArray<C>,
    f: (error: WithCode<E, C>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, WithoutCode<E, C> | E2, R | R2>
} = dual(
  3,
  <A, E, R, const C extends AnyCode, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    code: C | ReadonlyArray<C>,
    f: (error: WithCode<E, C>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, WithoutCode<E, C> | E2, R | R2> =>
    Effect.catch(self, (error): Effect.Effect<A2, WithoutCode<E, C> | E2, R2> =>
      hasCode(error, code) ? f(error as WithCode<E, C>) : Effect.fail(error as WithoutCode<E, C>)
    )
)
