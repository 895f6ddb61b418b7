/**
 * Replaces the service in tests by stubs, one function per operation. `CustodyEmulator.layer` replaces it by a service with
 * state.
 *
 * @since 0.1.0
 */
import type { Amount } from "@effect-custody/core/Amount"
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import type * as Endpoint from "@effect-custody/core/Endpoint"
import type * as Lenient from "@effect-custody/core/Lenient"
import type * as Page from "@effect-custody/core/Page"
import { OutcomeUnknown } from "@effect-custody/core/SdkError"
import * as Answer from "@effect-custody/core/siblings/Answer"
import * as Classification from "@effect-custody/core/siblings/Classification"
import type { Declaration } from "@effect-custody/core/siblings/Declaration"
import * as Refusals from "@effect-custody/emulator/Refusal"
import type * as Brand from "effect/Brand"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { makeClient, type Handler, StubbedCall, StubInvalid } from "./internal/stubs.ts"
import * as Operations from "@effect-custody/sdk/Operations"

export { StubInvalid, UnstubbedCall } from "./internal/stubs.ts"

/**
 * An error answer: a code of the specification, or the parts of another answer.
 *
 * @since 0.1.0
 * @category models
 */
export type Refusal = Refusals.Refusal

/** Object types that stay as they are. */
type Whole = Amount | DateTime.DateTime | Duration.Duration | Redacted.Redacted<any> | Uint8Array

/** A payload as a test writes it, with plain strings for branded ids, and `extra` only where there is one. */
type Written<A> =
  A extends Brand.Brand<any>
    ? A extends string
      ? string
      : A
    : A extends Lenient.Unlisted
      ? string & {}
      : A extends Whole
        ? A
        : A extends ReadonlyArray<infer I>
          ? ReadonlyArray<Written<I>>
          : A extends Lenient.Fields
            ? { readonly [K in keyof A as K extends "extra" ? never : K]: Written<A[K]> } & Partial<Lenient.Fields>
            : A extends object
              ? { readonly [K in keyof A]: Written<A[K]> }
              : A

/** A stub of an endpoint function, with its input, payload and errors. */
type StubOf<F> = (input: Endpoint.Input<F>) => Effect.Effect<Written<Endpoint.Output<F>>, Endpoint.Failure<F>>

/**
 * A stub for each operation that a test calls, by name.
 *
 * @since 0.1.0
 * @category models
 */
export type Stubs = { readonly [N in Operations.Name]?: StubOf<Operations.Function<N>> }

/**
 * A stub for a custom endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Own {
  readonly endpoint: Declaration
  readonly handler: Handler
}

/**
 * A stub for an endpoint of your own. {@link stub} takes it after the others.
 *
 * @example
 * ```ts
 * import { Endpoint } from "@effect-custody/core"
 * import { CustodyTest } from "@effect-custody/testing"
 * import { Effect, Schema } from "effect"
 *
 * const daily = Endpoint.read("reports.daily", {
 *   route: "GET /reports/daily",
 *   success: Schema.Struct({ total: Schema.String })
 * })
 *
 * const stubs = CustodyTest.stub({}, CustodyTest.own(daily, () => Effect.succeed({ total: "12.50" })))
 * ```
 *
 * @since 0.1.0
 * @category stubs
 */
export const own = <F extends Operations.AnyEndpoint>(endpoint: F, handler: StubOf<F>): Own => ({
  endpoint,
  handler: handler as unknown as Handler
})

/**
 * A client of stubs. A stub has the input, the payload (a {@link page} for a list; ids as plain strings) and the errors
 * of its operation. The operation's declaration checks inputs, as in the real client, and what a stub returns. A call
 * without a stub is a defect that names the stub to add. A stub knows no contract.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { CustodyTest } from "@effect-custody/testing"
 * import { Transactions } from "@effect-custody/sdk"
 * import { assert, it } from "@effect/vitest"
 * import { Effect } from "effect"
 *
 * it.effect("the result of a send has an id", () =>
 *   Effect.gen(function* () {
 *     const amount = Amount.of("12.50")
 *     const { id } = yield* Transactions.send({ clientId: "alice", assetId: "usdc", to: "0xabc", amount })
 *     assert.strictEqual(id, "t-1")
 *   }).pipe(
 *     Effect.provide(
 *       CustodyTest.stub({
 *         "transactions.send": ({ to }) =>
 *           to === "0xabc" ? Effect.succeed({ id: "t-1" }) : CustodyTest.refuse("transactions.send", { status: 404 })
 *       })
 *     )
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 * @category stubs
 */
export const stub = (stubs: Stubs, ...owned: ReadonlyArray<Own>): Layer.Layer<CustodyClient> => {
  const named = Object.entries(stubs).map(
    ([name, handler]) => [Operations.functions.get(name)!, handler as Handler] as const
  )
  const others = owned.map(({ endpoint, handler }) => [endpoint, handler] as const)
  return Layer.succeed(CustodyClient, makeClient(new Map<Declaration, Handler>([...named, ...others])))
}

/**
 * A page of a list, for stubs. It is the whole list, unless `meta` says that more follows.
 *
 * @since 0.1.0
 * @category stubs
 */
export const page = <A>(items: ReadonlyArray<A>, meta: Page.Meta = { hasNextPage: false }): Page.Page<A> => ({
  items,
  meta
})

/** Fails with `OutcomeUnknown`, about the call that a stub answers. */
const inDoubt = (operation: string, ended: Pick<OutcomeUnknown, "reason" | "status" | "requestIds">) =>
  Effect.gen(function* () {
    const { fingerprint, sentAt } = (yield* StubbedCall) ?? { fingerprint: "0".repeat(64), sentAt: yield* DateTime.now }
    return yield* new OutcomeUnknown({
      operation,
      fingerprint,
      sentAt,
      ...ended,
      lookUp: Operations.functions.get(operation)?.lookUp?.().operation
    })
  })

/** Classifies an answer as the real client does. Returns the doubt that it leaves about a change, if there is one. */
const findDoubt = (
  { safety }: Operations.AnyEndpoint,
  { body, status }: ReturnType<typeof Refusals.answer>
): Pick<OutcomeUnknown, "reason" | "status"> | undefined => {
  if (safety === "read") return undefined
  const { _tag, reason } = Classification.classify(
    safety === "session" ? "auth" : "call",
    { _tag: "Answered", status, text: JSON.stringify(body), retryAfter: undefined },
    undefined
  ) as Classification.Failed
  return _tag === "InDoubt" ? { reason, status } : undefined
}

/** The errors of an operation after an error answer. */
type Refused<N extends Operations.Name> = Operations.Refusal<N> | Extract<Operations.Failure<N>, OutcomeUnknown>

/**
 * Fails with the error of the real client for a service that gives this answer each time. An operation that changes
 * something fails with `OutcomeUnknown` after a 5xx, 408 or 499. A status that is not from 400 to 599 is a defect
 * (`StubInvalid`).
 *
 * @example
 * ```ts
 * import { CustodyTest } from "@effect-custody/testing"
 *
 * const stubs = CustodyTest.stub({
 *   "vaults.details": () => CustodyTest.refuse("vaults.details", "E40001"),
 *   "clients.get": () => CustodyTest.refuse("clients.get", { status: 404 }),
 *   "clients.create": () => CustodyTest.refuse("clients.create", { status: 422, fields: { externalId: ["is taken"] } }),
 *   "transactions.send": () => CustodyTest.outcomeUnknown("transactions.send")
 * })
 * ```
 *
 * @since 0.1.0
 * @category stubs
 */
export const refuse = <N extends Operations.Name>(operation: N, refusal: Refusal): Effect.Effect<never, Refused<N>> =>
  Effect.suspend(() => {
    const endpoint = Operations.functions.get(operation)!
    const answer = Refusals.answer(refusal)
    if (answer.status < 400 || answer.status > 599) {
      const message = `CustodyTest.refuse("${operation}"): ${answer.status} is no refusal: give a status from 400 to 599`
      return Effect.die(new StubInvalid({ operation, message }))
    }
    const doubt = findDoubt(endpoint, answer)
    const error: Effect.Effect<object> =
      doubt === undefined
        ? Effect.succeed(Answer.fromAnswer(endpoint, { ...answer, retryAfter: undefined }))
        : Effect.flip(inDoubt(operation, { ...doubt, requestIds: {} }))
    return Effect.flatMap(error, (error) => Effect.fail(error as Refused<N>))
  })

/** The operations that can fail with `OutcomeUnknown`. */
type Uncertain = { [N in Operations.Name]: OutcomeUnknown extends Operations.Failure<N> ? N : never }[Operations.Name]

/**
 * Fails with `OutcomeUnknown`, about the call that the stub answers: `Transactions.reconcile` takes it.
 *
 * @since 0.1.0
 * @category stubs
 */
export const outcomeUnknown = (operation: Uncertain): Effect.Effect<never, OutcomeUnknown> =>
  inDoubt(operation, { reason: "ECONNRESET" })

/** Lets pending work outside of Effect run. */
const macrotask = Effect.callback<void>((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})

/** Digests are computed in order, so when this digest is done, earlier ones are done too. */
const digest = Effect.promise(() => globalThis.crypto.subtle.digest("SHA-256", new Uint8Array(1)))

const settlePending = Effect.repeat(Effect.andThen(macrotask, digest), { times: 1 }).pipe(Effect.andThen(macrotask))

/** Advances the clock until the effect ends, by at most `atMost`. */
const advanceWhile = <A, E, R>(self: Effect.Effect<A, E, R>, atMost: Duration.Input): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(self, { startImmediately: true })
    const startedAt = yield* Clock.currentTimeMillis
    const maxMillis = Duration.toMillis(Duration.fromInputUnsafe(atMost))
    const advance = Effect.gen(function* () {
      for (let passed = 0; passed < maxMillis; passed = (yield* Clock.currentTimeMillis) - startedAt) {
        yield* settlePending
        if (fiber.pollUnsafe() !== undefined) return
        yield* TestClock.adjust(Math.max(50, passed / 50))
      }
    })
    yield* Effect.onInterrupt(advance, () => Fiber.interrupt(fiber))
    return yield* Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
  })

/**
 * Runs an effect while it advances the `TestClock`, for at most `atMost` (default: 1 hour) of virtual time: retries, polls
 * and pauses take no real time.
 *
 * @since 0.1.0
 * @category running
 */
export const fastForward =
  (options?: { readonly atMost?: Duration.Input | undefined }) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    advanceWhile(self, options?.atMost ?? "1 hour")
