/**
 * What goes wrong, in sentences: `next("transactions.send", answerLost)`. Each is plain data; {@link play} says it to the
 * emulator.
 *
 * Where a sentence needs more than is here, any `Fault` of the emulator may take the place of the last word.
 */
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import * as Fault from "@effect-custody/emulator/Fault"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Refusal from "./internal/refusal.ts"
import type * as Operations from "./Operations.ts"

/** An operation, or any. */
export type Target = Operations.Name | "*"

/** What goes wrong, and when. */
export type Faults =
  | { readonly _tag: "Exchange"; readonly target: Target; readonly fault: Fault.Fault; readonly times: number }
  | { readonly _tag: "ExpireTokens" }
  | { readonly _tag: "RevokeSessions" }
  | { readonly _tag: "FailTransactions"; readonly end: "REJECTED" | "ERROR"; readonly times: number }
  | { readonly _tag: "Stop" }
  | { readonly _tag: "All"; readonly faults: ReadonlyArray<Faults> }

/** What happens to one exchange. */
type Word = Fault.Fault

// ---- what happens to an exchange

const called = (name: string, { ending, reach }: Word): Word => ({ name, reach, ending })

/** The service acts, and its answer is lost: the connection breaks. */
export const answerLost: Word = Fault.answerLost()

/** The service reads the request, does nothing, and the connection breaks. The client cannot tell it from the above. */
export const reset: Word = { name: "reset", reach: "Received", ending: answerLost.ending }

/** The request never reaches the service, and the client knows it. */
export const neverArrived: Word = Fault.neverArrived()

/** The service does nothing, and nothing ever comes back: the connection stays open until the client gives up. */
export const stall: Word = Fault.silence({ acts: false })

/** The service fails before it acts: a 500 without a code. */
export const serverError: Word = Fault.serverError()

/** The access token of the request has expired: a 498. A refresh works as ever. */
export const tokenExpired: Word = called("tokenExpired", Fault.answered(Refusal.answerOf("E40003")))

/** The answer takes its time. Otherwise all is well. */
export const slow = (delay: Duration.Input): Word => Fault.delayed({ answer: delay })

/** The service asks to wait: a 429 with `Retry-After`, in whole seconds. */
export const rateLimited = (retryAfter: Duration.Input): Word => Fault.rateLimited(retryAfter)

/**
 * The service says no, and does nothing: a code of the specification, with its status, or one of the endpoint's own.
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
 */
export const answer = (refusal: Refusal.Refusal): Word => Fault.answered(Refusal.answerOf(refusal))

// ---- when

const exchange = (target: Target, fault: Word, times: number): Faults => ({ _tag: "Exchange", target, fault, times })

/** With the next request; said twice, with the next two. */
export const next = (target: Target, fault: Word): Faults => exchange(target, fault, 1)

/** With the n-th request from now, counted from 1. */
export const nth =
  (n: number) =>
  (target: Target, fault: Word): Faults =>
    exchange(target, Fault.nth(n, fault), 1)

/** With the next so many requests. */
export const times =
  (count: number) =>
  (target: Target, fault: Word): Faults =>
    exchange(target, fault, count)

/** With every request; what is meant for a certain one goes before it. */
export const always = (target: Target, fault: Word): Faults => exchange(target, fault, Infinity)

/** With some requests and not with others: the same seed (default: 1), the same requests. */
export const sometimes =
  (options: { readonly probability: number; readonly seed?: number | undefined }) =>
  (target: Target, fault: Word): Faults =>
    exchange(target, Fault.sometimes(options, fault), Infinity)

// ---- whole sentences

/** Every access token that was issued expires now. */
export const expireTokens: Faults = { _tag: "ExpireTokens" }

/** The service forgets every session now: no token is accepted, and none can be refreshed. */
export const revokeSessions: Faults = { _tag: "RevokeSessions" }

/** The next request of an operation is answered with a code. */
export const answerNext = (target: Target, refusal: Refusal.Refusal): Faults => next(target, answer(refusal))

/** The session is rotated by the next refresh, and the answer is lost. */
export const dropNextRefresh: Faults = next("authentication.refreshToken", answerLost)

/** The next sends and transfers are taken on, and end as `REJECTED` or `ERROR` some time later. */
export const failNextTransactions = (
  end: "REJECTED" | "ERROR" = "REJECTED",
  options?: { readonly times?: number | undefined }
): Faults => ({ _tag: "FailTransactions", end, times: options?.times ?? 1 })

/**
 * Whoever has to approve them refuses the next sends and transfers: they are taken on, and end as `REJECTED` some time
 * later.
 */
export const rejectApprovals = (options?: { readonly times?: number | undefined }): Faults =>
  failNextTransactions("REJECTED", options)

/** Nothing goes wrong with any exchange from now on. */
export const stop: Faults = { _tag: "Stop" }

/** All of them. */
export const all = (...faults: ReadonlyArray<Faults>): Faults => ({ _tag: "All", faults })

/** Nothing. */
export const none: Faults = all()

/**
 * Says to the emulator what goes wrong from now on.
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
