/**
 * The layers that a test puts in the place of the service: stubs, one function per operation, for tests of a program's
 * own decisions; and the emulator under the real client, for tests of what a program makes of a service that keeps state
 * and of a network that fails.
 */
import * as ApiError from "@effect-custody/core/ApiError"
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import type * as Page from "@effect-custody/core/Page"
import { type ConfigurationInvalid, OutcomeUnknown } from "@effect-custody/core/SdkError"
import type { SessionOfAnotherEnvironment, TokenStoreError } from "@effect-custody/core/SessionError"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { endpointOf } from "./internal/contracts.ts"
import { whileTimePasses } from "./internal/passage.ts"
import * as TheKit from "./internal/kit.ts"
import * as Refusals from "./internal/refusal.ts"
import { clientOf, type Handler } from "./internal/stubs.ts"
import type * as Operations from "./Operations.ts"

export { StubInvalid, UnstubbedCall } from "./internal/stubs.ts"

/** A code of the specification. */
export type Code = Refusals.Code

/** How the service says no: a code of the specification, or the parts of another answer. */
export type Refusal = Refusals.Refusal

/** What stands in for an endpoint: its own input, payload and errors. */
type StubOf<F> = (
  input: Operations.InputOf<F>
) => Effect.Effect<Operations.Written<Operations.PayloadOf<F>>, Operations.FailureOf<F>>

/** A stub for each operation that a test calls, by name. */
export type Stubs = { readonly [N in Operations.Name]?: StubOf<Operations.Function<N>> }

/** A stub for an endpoint of one's own. */
export interface Own {
  readonly operation: string
  readonly handler: Handler
}

/**
 * A stub for an endpoint of one's own, made with `Endpoint.make`: {@link stub} takes it after the others.
 *
 * @example
 * ```ts
 * import { ApiError, Contract, Endpoint, Envelope } from "@effect-custody/core"
 * import { CustodyTest } from "@effect-custody/testing"
 * import { Effect, Schema } from "effect"
 * import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
 *
 * class ReportsApi extends HttpApiGroup.make("reports").add(
 *   HttpApiEndpoint.get("daily", "/reports/daily", {
 *     success: Envelope.of(Schema.Struct({ total: Schema.String })),
 *     error: ApiError.authenticated
 *   }).pipe(Contract.assumed({ safety: "read", section: "our own agreement with the service" }))
 * ) {}
 * const daily = Endpoint.make(ReportsApi, "daily")
 *
 * const stubs = CustodyTest.stub({}, CustodyTest.own(daily, () => Effect.succeed({ total: "12.50" })))
 * ```
 */
export const own = <F extends Operations.AnyEndpoint>(endpoint: F, handler: StubOf<F>): Own => ({
  operation: endpoint.operation,
  handler: handler as unknown as Handler
})

/**
 * A client of stubs. Each is typed by its operation: the input, the payload (a {@link page} for a list; ids as plain
 * strings), and the operation's own errors, which {@link refuse} and {@link outcomeUnknown} make.
 *
 * Inputs are checked by the contract as the real client does it, and fail with `RequestInvalid`; what a stub gives is
 * held to the contract too. A call without a stub is a defect that says which one to add.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { CustodyTest } from "@effect-custody/testing"
 * import { Transactions } from "@effect-custody/sdk"
 * import { assert, it } from "@effect/vitest"
 * import { Effect } from "effect"
 *
 * it.effect("tells the id of what it sent", () =>
 *   Effect.gen(function* () {
 *     const amount = Amount.fromString("12.50")
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
 */
export const stub = (stubs: Stubs, ...owned: ReadonlyArray<Own>): Layer.Layer<CustodyClient> => {
  const named = Object.entries(stubs) as ReadonlyArray<[string, Handler]>
  const others = owned.map(({ handler, operation }) => [operation, handler] as const)
  return Layer.succeed(CustodyClient, clientOf(new Map([...named, ...others])))
}

/** A page of a list, as a stub gives it: the whole list, unless `meta` says that more follows. */
export const page = <A>(items: ReadonlyArray<A>, meta: Page.Meta = { hasNextPage: false }): Page.Page<A> => ({
  items,
  meta
})

/**
 * The service says no: the error that the real client would make of that answer.
 *
 * @example
 * ```ts
 * import { CustodyTest } from "@effect-custody/testing"
 *
 * const stubs = CustodyTest.stub({
 *   "vaults.details": () => CustodyTest.refuse("vaults.details", "E40001"),
 *   "clients.get": () => CustodyTest.refuse("clients.get", { status: 404 }),
 *   "clients.create": () => CustodyTest.refuse("clients.create", { status: 422, fields: { id: ["is taken"] } })
 * })
 * ```
 */
export const refuse = <N extends Operations.Name>(
  operation: N,
  refusal: Refusal
): Effect.Effect<never, Operations.Refusal<N>> => {
  const { body, status } = Refusals.answerOf(refusal)
  const declared = endpointOf(operation)?.declared ?? new Set<string>()
  const text = JSON.stringify(body)
  const error = ApiError.fromAnswer({ operation, status, body, text, retryAfter: undefined }, declared)
  return Effect.fail(error as Operations.Refusal<N>)
}

/** The operations that can end in doubt. */
type Uncertain = { [N in Operations.Name]: OutcomeUnknown extends Operations.Failure<N> ? N : never }[Operations.Name]

/**
 * Nobody knows whether it has happened: the answer was lost.
 *
 * @example
 * ```ts
 * import { CustodyTest } from "@effect-custody/testing"
 * import { Effect } from "effect"
 *
 * const stubs = CustodyTest.stub({
 *   "transactions.send": () => CustodyTest.outcomeUnknown("transactions.send"),
 *   "transactions.list": () => Effect.succeed(CustodyTest.page([]))
 * })
 * ```
 */
export const outcomeUnknown = (operation: Uncertain, reason = "ECONNRESET"): Effect.Effect<never, OutcomeUnknown> =>
  Effect.flatMap(
    DateTime.now,
    (sentAt) =>
      new OutcomeUnknown({
        operation,
        fingerprint: "0".repeat(64),
        sentAt,
        reason,
        lookUp: endpointOf(operation)?.lookUp
      })
  )

/** What {@link layer} gives: the client, its session, the emulator's controls and the log of the wire. */
export type Kit = TheKit.Kit

/** How {@link layerWith} makes the client and the emulator. */
export interface Options extends TheKit.Options {}

/** {@link layer} with options: of the emulator, of the client, and what goes wrong from the start. */
export const layerWith = (
  options: Options
): Layer.Layer<Kit, ConfigurationInvalid | SessionOfAnotherEnvironment | TokenStoreError> => TheKit.kit(options, true)

/**
 * The emulator in this process under the real client, with a {@link WireLog} between them: sessions, retries and errors
 * are the real ones. No sockets; `TestClock` works.
 *
 * @example
 * ```ts
 * import { CustodyTest, Faults, WireLog } from "@effect-custody/testing"
 * import { Vaults } from "@effect-custody/sdk"
 * import { it } from "@effect/vitest"
 * import { Effect } from "effect"
 *
 * it.effect("reads the vault although the token expires", () =>
 *   Effect.gen(function* () {
 *     yield* Vaults.details()
 *     yield* Faults.play(Faults.expireTokens)
 *     yield* Vaults.details()
 *   }).pipe(WireLog.printOnFailure, Effect.provide(CustodyTest.layer))
 * )
 * ```
 */
export const layer: Layer.Layer<Kit> = Layer.orDie(layerWith({}))

/**
 * Runs an effect under a `TestClock` that goes on by itself: retries, polls and pauses take no time. It stops when the
 * effect ends, or after `atMost` (default: 1 hour) of the test's time, and then waits for somebody else to move the
 * clock.
 *
 * @example
 * ```ts
 * import { CustodyTest, Faults } from "@effect-custody/testing"
 * import { Vaults } from "@effect-custody/sdk"
 * import { it } from "@effect/vitest"
 * import { Effect } from "effect"
 *
 * it.effect("waits as long as it is asked to, and tries again", () =>
 *   Effect.gen(function* () {
 *     yield* Faults.play(Faults.next("vaults.details", Faults.rateLimited("3 seconds")))
 *     yield* Vaults.details()
 *   }).pipe(CustodyTest.fastForward(), Effect.provide(CustodyTest.layer))
 * )
 * ```
 */
export const fastForward =
  (options?: { readonly atMost?: Duration.Input | undefined }) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    whileTimePasses(self, options?.atMost ?? "1 hour")
