/**
 * The three ways in which a call that changes something ends: done, certainly not done, or unknown.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { OutcomeUnknown } from "./SdkError.ts"

/**
 * The call succeeded.
 *
 * @category models
 * @since 0.1.0
 */
export interface Done<out A> {
  readonly _tag: "Done"
  readonly value: A
}

/**
 * The call failed, and it is certain that nothing was done.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotDone<out E> {
  readonly _tag: "NotDone"
  readonly error: E
}

/**
 * It is unknown whether the call was done. Look it up before you do anything else; never send it again without looking.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unknown {
  readonly _tag: "Unknown"
  readonly error: OutcomeUnknown
}

/**
 * How a call ended.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome<A, E> = Done<A> | NotDone<Exclude<E, OutcomeUnknown>> | Unknown

const isUnknown = <E>(error: E): error is E & OutcomeUnknown =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "OutcomeUnknown"

/**
 * How one call ends, as data: the effect never fails. Use it for a single call. Around several calls it would say
 * `NotDone` although the first of them was done.
 *
 * @example
 * ```ts
 * import { Amount, Outcome } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const outcome = yield* Transactions.transfer({
 *     fromClientId: "alice",
 *     toClientId: "bob",
 *     assetId: "usdc",
 *     amount: Amount.of("3"),
 *     note: "rent of May"
 *   }).pipe(Outcome.of)
 *   if (outcome._tag === "Unknown") yield* Effect.logWarning(`to be looked up: ${outcome.error.message}`)
 * })
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const of = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<Outcome<A, E>, never, R> =>
  Effect.match(call, {
    onFailure: (error): Outcome<A, E> =>
      isUnknown(error) ? { _tag: "Unknown", error } : { _tag: "NotDone", error: error as Exclude<E, OutcomeUnknown> },
    onSuccess: (value): Outcome<A, E> => ({ _tag: "Done", value })
  })
