/**
 * The HTTP statuses with which a backend answers after an error of the SDK.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ErrorFacts from "../errors/errorFacts.ts"
import { PageRepeated, PagesIncomplete } from "../lists/Page.ts"
import { StillPending } from "../status/Polling.ts"

/**
 * The property of an error that has a status, such as an error of the ledger or of your own.
 *
 * @since 0.1.0
 * @category models
 */
export const status: unique symbol = Symbol.for("@effect-custody/core/HttpStatus/status")

/**
 * An error that has a status.
 *
 * @since 0.1.0
 * @category models
 */
export type Known = ErrorFacts.Known | StillPending | PageRepeated | PagesIncomplete | { readonly [status]: number }

const isPending = Schema.is(StillPending)
const isUnusable = Schema.is(Schema.Union([PageRepeated, PagesIncomplete]))

/**
 * Gets the HTTP status with which your backend answers its own caller after an error.
 *
 * | status | error |
 * | --- | --- |
 * | 202 | `OutcomeUnknown`, `StillPending`: not a failure, and the caller must not repeat the change |
 * | 400 | `InputInvalid`, `BadRequest` |
 * | 404 | `NotFound` |
 * | 422 | `ValidationFailed`, and any other refusal of the service with a 4xx |
 * | 501 | `UnconfirmedEndpoint` |
 * | 502 | the service's answer is a 5xx, unusable, or missing |
 * | 503 | nothing was sent, the service limits the rate, or there is no usable session |
 * | 500 | any other value |
 *
 * An error with the property {@link status} has that status. Of the ledger's errors, `PayoutUndecided` is a 202,
 * `ReferenceConflict` and `StepRefused` are a 409, `OrdersInvalid`, `AllowanceExceeded`, `PayoutRefused` and
 * `PayoutFailed` a 422, and `LedgerStopped` and `LedgerError` a 503.
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
  Predicate.hasProperty(error, status) && typeof error[status] === "number"
    ? error[status]
    : (ErrorFacts.of(error)?.http ?? (isPending(error) ? 202 : isUnusable(error) ? 502 : 500))

/**
 * {@link of} for an error of which the compiler knows that it has a status of its own. It does not compile for a union
 * with any other error, so that none becomes a 500 by oversight.
 *
 * @since 0.1.0
 * @category getters
 */
export const ofKnown = (error: Known): number => of(error)
