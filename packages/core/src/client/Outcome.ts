/**
 * What the end of a call means to its caller: its outcome, and how to declare one that you know; whether a later call may
 * succeed; what its error is about; and the HTTP status with which a backend answers after it.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as ApiError from "../errors/ApiError.ts"
import * as ErrorFacts from "../errors/errorFacts.ts"
import type {
  ConfigurationInvalid,
  NotSent,
  OutcomeUnknown,
  InputInvalid,
  UnconfirmedEndpoint
} from "../errors/SdkError.ts"
import type * as SessionError from "../errors/SessionError.ts"
import { PageRepeated, PagesIncomplete } from "../lists/Page.ts"
import { StillPending } from "../status/Polling.ts"
import { CustodyClient } from "./CustodyClient.ts"

export { isAbout, type TagAbout } from "../errors/errorFacts.ts"

/**
 * The errors after which the call certainly did nothing. After an error class of your own that extends
 * `ApiError.ErrorAnswer`, it did nothing either. The `TimeoutError` of an `Effect.timeout` is not one of them.
 *
 * @category models
 * @since 0.1.0
 */
export type Certain =
  | ApiError.ApiError
  | SessionError.SessionError
  | InputInvalid
  | UnconfirmedEndpoint
  | ConfigurationInvalid
  | NotSent

/**
 * The outcome of a call: it succeeded, it certainly did nothing, or its effect is unknown (any error that is not
 * {@link Certain}).
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome<A, E> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "NotDone"; readonly error: Extract<E, Certain | ApiError.ErrorAnswer> | Extract<Certain, E> }
  | { readonly _tag: "Unknown"; readonly error: OutcomeUnknown | Exclude<E, Certain | ApiError.ErrorAnswer> }

/**
 * Returns the outcome of one call as data. Do not wrap several calls, because `NotDone` then says nothing about the
 * calls before the last one. To limit the time of a call, use `RetryPolicy.within`, because after an `Effect.timeout`
 * the outcome is `Unknown`.
 *
 * @example
 * ```ts
 * import { Outcome } from "@effect-custody/core"
 * import { FiatGateway } from "@effect-custody/sdk"
 *
 * const refunded = FiatGateway.refund({ transactionId: "t1" }).pipe(Outcome.of)
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const of = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<Outcome<A, E>, never, R> =>
  Effect.match(call, {
    onFailure: (error) =>
      ({ _tag: ErrorFacts.of(error)?.happened === "No" ? "NotDone" : "Unknown", error }) as Outcome<A, E>,
    onSuccess: (value): Outcome<A, E> => ({ _tag: "Done", value })
  })

/**
 * Declares that you know the outcome of a write that ended with `OutcomeUnknown`, so that this client may send the same
 * write again. Look up the outcome first. Before `resolved`, the client refuses the same operation and input with the
 * same error, and sends nothing. The client remembers the last 10,000 such writes, each for a day.
 * `Transactions.reconcile` and `Transactions.find` release the writes whose outcome they have found, without a call of
 * `resolved`.
 *
 * @example
 * ```ts
 * import { Amount, Outcome } from "@effect-custody/core"
 * import { PaymentOrders } from "@effect-custody/sdk"
 * import { Effect, Stream } from "effect"
 *
 * const order = { amount: Amount.of("12.50"), currency: "EUR", note: "order 7f3a" }
 * const program = PaymentOrders.create(order).pipe(
 *   Effect.catchTag("OutcomeUnknown", (error) =>
 *     Effect.gen(function* () {
 *       const orders = yield* Stream.runCollect(PaymentOrders.stream())
 *       const made = orders.find(({ note }) => note === order.note)
 *       if (made !== undefined) return made
 *       yield* Outcome.resolved(error)
 *       return yield* PaymentOrders.create(order)
 *     })
 *   )
 * )
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const resolved = (error: OutcomeUnknown): Effect.Effect<void, never, CustodyClient> =>
  CustodyClient.resolved(error)

/**
 * `true` if the same call may be made again, and may then succeed:
 *
 * - the call could not be sent, or a read got no answer or an unusable one;
 * - the service answered with a 429, or a read with a 408 or a 5xx;
 * - the session cannot be used yet.
 *
 * `false` for any other value, and always for `OutcomeUnknown`: look up the outcome first.
 *
 * The SDK has already retried as often as the call's `RetryPolicy` allows. Wait longer than the policy, and at least
 * until the error's `retryAt` or `retryAfter`, if there is one.
 *
 * @example
 * ```ts
 * import { isRetryable } from "@effect-custody/core"
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect, Schedule } from "effect"
 *
 * const details = Vaults.details().pipe(Effect.retry({ schedule: Schedule.spaced("1 minute"), while: isRetryable }))
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isRetryable = (error: unknown): boolean => ErrorFacts.of(error)?.again === true

/**
 * The property of an error that has a status, such as an error of the ledger or of your own.
 *
 * @since 0.1.0
 * @category models
 */
export const httpStatusKey: unique symbol = Symbol.for("@effect-custody/core/Outcome/httpStatus")

/**
 * An error that has a status.
 *
 * @since 0.1.0
 * @category models
 */
export type WithHttpStatus =
  | ErrorFacts.Known
  | StillPending
  | PageRepeated
  | PagesIncomplete
  | { readonly [httpStatusKey]: number }

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
 * | 502 | the service's answer is a 408, a 5xx, unusable, or missing |
 * | 503 | the call could not be sent, the service limits the rate, or there is no usable session |
 * | 500 | any other value |
 *
 * An error with the property {@link httpStatusKey} has that status. Of the ledger's errors, `PayoutUndecided` is a 202,
 * `ReferenceConflict` and `StepRefused` are a 409, `OrdersInvalid`, `AllowanceExceeded`, `PayoutRefused` and
 * `PayoutFailed` a 422, and `LedgerStopped` and `LedgerError` a 503.
 *
 * A token that the service refuses is never a 401 here, because your caller's own credentials are valid.
 *
 * @example
 * ```ts
 * import { Outcome, Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 * import { HttpServerResponse } from "effect/http"
 *
 * const handler = Vaults.details().pipe(
 *   Effect.map(({ name }) => HttpServerResponse.text(name ?? "")),
 *   Effect.catch((error) => Effect.succeed(HttpServerResponse.text(error.message, { status: Outcome.httpStatus(error) })))
 * )
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const httpStatus = (error: unknown): number =>
  Predicate.hasProperty(error, httpStatusKey) && typeof error[httpStatusKey] === "number"
    ? error[httpStatusKey]
    : (ErrorFacts.of(error)?.http ?? (isPending(error) ? 202 : isUnusable(error) ? 502 : 500))

/**
 * {@link httpStatus} for an error of which the compiler knows that it has a status of its own. It does not compile for a
 * union with any other error, so that none becomes a 500 by oversight.
 *
 * @since 0.1.0
 * @category getters
 */
export const httpStatusOfKnown = (error: WithHttpStatus): number => httpStatus(error)
