/**
 * Faults in short: `next("transactions.send", answerLost)`. {@link play} injects them into the emulator. Any `Fault` of
 * the emulator can replace the ones of this module.
 *
 * @since 0.1.0
 */
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import * as Fault from "@effect-custody/emulator/Fault"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Refusal from "./internal/refusal.ts"
import type * as Operations from "@effect-custody/sdk/Operations"

/**
 * An operation, or `*` for any.
 *
 * @since 0.1.0
 * @category models
 */
export type Target = Operations.Name | "*"

/**
 * A scheduled fault: an effect that injects it into the emulator.
 *
 * @since 0.1.0
 * @category models
 */
export type Faults = Effect.Effect<void, never, CustodyEmulator>

/**
 * The service acts, and its answer is lost: the connection breaks.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const answerLost: Fault.Fault = Fault.answerLost()

/**
 * The service does nothing, and the connection breaks. The client cannot tell it from {@link answerLost}.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const reset: Fault.Fault = Fault.reset()

/**
 * The request never reaches the service, and the client knows it.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const neverArrived: Fault.Fault = Fault.neverArrived()

/**
 * The service does nothing, and the connection stays open until the client gives up.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const stall: Fault.Fault = Fault.silence({ acts: false })

/**
 * The service fails before it acts: a 500 without a code.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const serverError: Fault.Fault = Fault.serverError()

/**
 * The service does nothing and answers with an error: a code of the specification, or another code with its status.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const answer = (refusal: Refusal.Refusal): Fault.Fault => Fault.answered(Refusal.makeAnswer(refusal))

/**
 * The access token of the request has expired: a 498. A refresh works.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const tokenExpired: Fault.Fault = answer("E40003")

/**
 * Delays the answer.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const slow = (delay: Duration.Input): Fault.Fault => Fault.delayed({ answer: delay })

/**
 * A 429 with `Retry-After`, in whole seconds.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const rateLimited = (retryAfter: Duration.Input): Fault.Fault => Fault.rateLimited(retryAfter)

const exchange = (target: Target, fault: Fault.Fault, count: number): Faults =>
  CustodyEmulator.use(({ faults }) => faults.next(target, fault, { times: count }))

/**
 * On the next request. Several faults are injected one after the other.
 *
 * @since 0.1.0
 * @category occasions
 */
export const next = (target: Target, fault: Fault.Fault): Faults => exchange(target, fault, 1)

/**
 * On the n-th request from now on, counted from 1.
 *
 * @since 0.1.0
 * @category occasions
 */
export const nth =
  (n: number) =>
  (target: Target, fault: Fault.Fault): Faults =>
    exchange(target, Fault.nth(n, fault), 1)

/**
 * On the next `count` requests.
 *
 * @since 0.1.0
 * @category occasions
 */
export const times =
  (count: number) =>
  (target: Target, fault: Fault.Fault): Faults =>
    exchange(target, fault, count)

/**
 * On every request. Faults for certain requests take precedence.
 *
 * @since 0.1.0
 * @category occasions
 */
export const always = (target: Target, fault: Fault.Fault): Faults => exchange(target, fault, Infinity)

/**
 * On each request with a probability. Equal seeds (default: 1) choose equal requests.
 *
 * @since 0.1.0
 * @category occasions
 */
export const sometimes =
  (options: { readonly probability: number; readonly seed?: number | undefined }) =>
  (target: Target, fault: Fault.Fault): Faults =>
    exchange(target, Fault.sometimes(options, fault), Infinity)

/**
 * Expires every issued access token now.
 *
 * @since 0.1.0
 * @category faults
 */
export const expireTokens: Faults = CustodyEmulator.use((emulator) => emulator.expireTokens)

/**
 * Revokes every session: no token is accepted, and none can be refreshed.
 *
 * @since 0.1.0
 * @category faults
 */
export const revokeSessions: Faults = CustodyEmulator.use((emulator) => emulator.revokeSessions)

/**
 * The service accepts the next send or transfer, and it ends as `REJECTED` (default) or `ERROR` later.
 *
 * @since 0.1.0
 * @category faults
 */
export const failNextTransaction = (end: "REJECTED" | "ERROR" = "REJECTED"): Faults =>
  CustodyEmulator.use(({ failNext }) => failNext({ end, times: 1 }))

/**
 * Removes every pending fault.
 *
 * @since 0.1.0
 * @category faults
 */
export const stop: Faults = CustodyEmulator.use(({ faults }) => faults.clear)

/**
 * Injects faults into the emulator, in this order.
 *
 * @example
 * ```ts
 * import { CustodyTest, Faults } from "@effect-custody/testing"
 * import { Vaults } from "@effect-custody/sdk"
 * import { assert, it } from "@effect/vitest"
 * import { Effect } from "effect"
 *
 * it.effect("a session is lost with the answer to its rotation", () =>
 *   Effect.gen(function* () {
 *     yield* Vaults.details()
 *     yield* Faults.play(Faults.expireTokens, Faults.next("authentication.refreshToken", Faults.answerLost))
 *     const error = yield* Effect.flip(Vaults.details())
 *     assert.strictEqual(error._tag, "SessionLost")
 *   }).pipe(Effect.provide(CustodyTest.layer))
 * )
 * ```
 *
 * @since 0.1.0
 * @category running
 */
export const play = (...faults: ReadonlyArray<Faults>): Faults => Effect.all(faults, { discard: true })
