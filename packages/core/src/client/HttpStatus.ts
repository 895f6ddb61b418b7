/**
 * The HTTP statuses with which a backend answers after an error of the SDK.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as ErrorFacts from "../errors/ErrorFacts.ts"
import { PageRepeated, PagesIncomplete } from "../lists/Page.ts"
import { StillPending } from "../status/Polling.ts"

const isPending = Schema.is(StillPending)
const isUnusable = Schema.is(Schema.Union([PageRepeated, PagesIncomplete]))

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
export const of = (error: unknown): number =>
  ErrorFacts.of(error)?.http ?? (isPending(error) ? 202 : isUnusable(error) ? 502 : 500)
