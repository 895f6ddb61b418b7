/** What the end of a call means to its caller: its outcome, whether a later call may succeed, and what its error is about. */
import * as Effect from "effect/Effect"
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
import { CustodyClient } from "./CustodyClient.ts"

export { isAbout, type TagAbout } from "../errors/errorFacts.ts"

/**
 * The errors after which the call certainly did nothing. So did a call that fails with an error class of your own that
 * extends `ApiError.ErrorAnswer`. The `TimeoutError` of an `Effect.timeout` is not one of them.
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
 * Declares that you know the outcome of a write that ended with `OutcomeUnknown`, so that this client sends the same
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
 * - a read got no answer, or the SDK sent nothing;
 * - the service answered with a 429, or with a 408 or 5xx, and certainly did nothing;
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
