/**
 * Faults in short: `next("transactions.send", answerLost)`. Each is plain data; {@link play} injects it into the emulator.
 *
 * Any `Fault` of the emulator can replace the ones of this module.
 *
 * @since 0.1.0
 */
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import * as Fault from "@effect-custody/emulator/Fault"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Refusal from "./internal/refusal.ts"
import type * as Operations from "./Operations.ts"

/**
 * An operation, or `*` for any.
 *
 * @since 0.1.0
 * @category models
 */
export type Target = Operations.Name | "*"

/**
 * What goes wrong, and when.
 *
 * @since 0.1.0
 * @category models
 */
export type Faults =
  | { readonly _tag: "Exchange"; readonly target: Target; readonly fault: Fault.Fault; readonly times: number }
  | { readonly _tag: "ExpireTokens" }
  | { readonly _tag: "RevokeSessions" }
  | { readonly _tag: "FailTransactions"; readonly end: "REJECTED" | "ERROR"; readonly times: number }
  | { readonly _tag: "Stop" }
  | { readonly _tag: "All"; readonly faults: ReadonlyArray<Faults> }

const renamed = (name: string, { ending, reach }: Fault.Fault): Fault.Fault => ({ name, reach, ending })

/**
 * The service acts, and its answer is lost: the connection breaks.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const answerLost: Fault.Fault = Fault.answerLost()

/**
 * The service reads the request and does nothing, and the connection breaks. The client cannot tell it from
 * {@link answerLost}.
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
 * The service does nothing, and no answer comes: the connection stays open until the client gives up.
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
 * The access token of the request has expired: a 498. A refresh works.
 *
 * @since 0.1.0
 * @category exchanges
 */
export const tokenExpired: Fault.Fault = renamed("tokenExpired", Fault.answered(Refusal.answerOf("E40003")))

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

/**
 * The service does nothing and answers with an error: a code of the specification, or another code with its status.
 *
 * @example
 * ```ts
 * import { Faults } from "@effect-custody/testing"
 *
 * const plan = Faults.all(
 *   Faults.next("transactions.send", Faults.answer({ status: 422, fields: { to: ["is not an address"] } })),
 *   Faults.next("vaults.details", Faults.answer("E40001"))
 * )
 * ```
 *
 * @since 0.1.0
 * @category exchanges
 */
export const answer = (refusal: Refusal.Refusal): Fault.Fault => Fault.answered(Refusal.answerOf(refusal))

const exchange = (target: Target, fault: Fault.Fault, times: number): Faults => ({
  _tag: "Exchange",
  target,
  fault,
  times
})

/**
 * On the next request. Several faults are injected one after the other.
 *
 * @since 0.1.0
 * @category occasions
 */
export const next = (target: Target, fault: Fault.Fault): Faults => exchange(target, fault, 1)

/**
 * On the n-th request from now, counted from 1.
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
export const expireTokens: Faults = { _tag: "ExpireTokens" }

/**
 * Revokes every session: no token is accepted, and none can be refreshed.
 *
 * @since 0.1.0
 * @category faults
 */
export const revokeSessions: Faults = { _tag: "RevokeSessions" }

/**
 * Answers the next request of an operation with an error.
 *
 * @since 0.1.0
 * @category faults
 */
export const answerNext = (target: Target, refusal: Refusal.Refusal): Faults => next(target, answer(refusal))

/**
 * The next refresh rotates the session, and its answer is lost.
 *
 * @since 0.1.0
 * @category faults
 */
export const dropNextRefresh: Faults = next("authentication.refreshToken", answerLost)

/**
 * The service accepts the next sends and transfers, and they end as `REJECTED` (default) or `ERROR` later.
 *
 * @since 0.1.0
 * @category faults
 */
export const failNextTransactions = (
  end: "REJECTED" | "ERROR" = "REJECTED",
  options?: { readonly times?: number | undefined }
): Faults => ({ _tag: "FailTransactions", end, times: options?.times ?? 1 })

/**
 * The approvers reject the next sends and transfers: the service accepts them, and they end as `REJECTED` later.
 *
 * @since 0.1.0
 * @category faults
 */
export const rejectApprovals = (options?: { readonly times?: number | undefined }): Faults =>
  failNextTransactions("REJECTED", options)

/**
 * Removes every pending fault.
 *
 * @since 0.1.0
 * @category faults
 */
export const stop: Faults = { _tag: "Stop" }

/**
 * Combines faults.
 *
 * @since 0.1.0
 * @category combinators
 */
export const all = (...faults: ReadonlyArray<Faults>): Faults => ({ _tag: "All", faults })

/**
 * No fault.
 *
 * @since 0.1.0
 * @category combinators
 */
export const none: Faults = all()

/**
 * Injects faults into the emulator.
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
 *     yield* Faults.play(Faults.expireTokens, Faults.dropNextRefresh)
 *     const error = yield* Effect.flip(Vaults.details())
 *     assert.strictEqual(error._tag, "SessionLost")
 *   }).pipe(Effect.provide(CustodyTest.layer))
 * )
 * ```
 *
 * @since 0.1.0
 * @category running
 */
export const play = (...faults: ReadonlyArray<Faults>): Effect.Effect<void, never, CustodyEmulator> =>
  Effect.flatMap(CustodyEmulator, (emulator) => interpret(emulator, all(...faults)))

const interpret = (emulator: CustodyEmulator["Service"], faults: Faults): Effect.Effect<void> => {
  switch (faults._tag) {
    case "Exchange":
      return emulator.faults.next(faults.target, faults.fault, { times: faults.times })
    case "ExpireTokens":
      return emulator.expireTokens
    case "RevokeSessions":
      return emulator.revokeSessions
    case "FailTransactions":
      return emulator.failNext({ end: faults.end, times: faults.times })
    case "Stop":
      return emulator.faults.clear
    case "All":
      return Effect.forEach(faults.faults, (fault) => interpret(emulator, fault), { discard: true })
  }
}
