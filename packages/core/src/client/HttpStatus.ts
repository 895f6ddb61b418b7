/**
 * The HTTP statuses with which a backend answers after an error of the SDK.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as ApiError from "../errors/ApiError.ts"
import * as SdkError from "../errors/SdkError.ts"
import * as SessionError from "../errors/SessionError.ts"
import { PageRepeated, PagesIncomplete } from "../lists/Page.ts"
import { StillPending } from "../status/Polling.ts"

const isPending = Schema.is(Schema.Union([SdkError.OutcomeUnknown, StillPending]))
const isInvalid = Schema.is(SdkError.RequestInvalid)
const isUnconfirmed = Schema.is(SdkError.UnconfirmedEndpoint)
const isNotSent = Schema.is(SdkError.NotSent)
const isNoAnswer = Schema.is(SdkError.TransportError)
const isUnusable = Schema.is(Schema.Union([SdkError.UnexpectedResponse, PageRepeated, PagesIncomplete]))

const ofAnswer = (error: ApiError.ApiError): number => {
  switch (error._tag) {
    case "BadRequest":
      return 400
    case "NotFound":
      return 404
    case "ValidationFailed":
      return 422
    case "RateLimited":
    case "InvalidApiKey":
    case "InvalidAccessToken":
    case "InvalidRefreshToken":
    case "TokenExpired":
      return 503
    // Any other refusal, such as an error class of your own.
    default:
      return error.status >= 400 && error.status < 500 ? 422 : 502
  }
}

/**
 * Gets the HTTP status with which your backend answers its own caller after an error.
 *
 * | status | error |
 * | --- | --- |
 * | 202 | `OutcomeUnknown`, `StillPending`: not a failure, and the caller must not repeat the change |
 * | 400 | `RequestInvalid`, `BadRequest` |
 * | 404 | `NotFound` |
 * | 422 | `ValidationFailed`, and any other refusal of the service with a 4xx |
 * | 501 | `UnconfirmedEndpoint` |
 * | 502 | the service's answer is a 5xx, unusable, or missing |
 * | 503 | nothing was sent, the service limits the rate, or there is no usable session |
 * | 500 | any other value |
 *
 * A token that the service refuses is never a 401 here, because your caller's own credentials are valid.
 *
 * @example
 * ```ts
 * import { HttpStatus, Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 * import { HttpServerResponse } from "effect/http"
 *
 * const handler = Vaults.details().pipe(
 *   Effect.map(({ name }) => HttpServerResponse.text(name ?? "")),
 *   Effect.catch((error) => Effect.succeed(HttpServerResponse.text(error.message, { status: HttpStatus.of(error) })))
 * )
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const of = (error: unknown): number => {
  if (ApiError.isApiError(error)) return ofAnswer(error)
  if (SessionError.isSessionError(error)) return 503
  if (isPending(error)) return 202
  if (isInvalid(error)) return 400
  if (isUnconfirmed(error)) return 501
  if (isNotSent(error)) return 503
  if (isNoAnswer(error)) return error.phase === "NotSent" ? 503 : 502
  return isUnusable(error) ? 502 : 500
}
