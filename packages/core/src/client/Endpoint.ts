/** Makes a typed function from a contract. */
import type * as Brand from "effect/Brand"
import type * as Effect from "effect/Effect"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Result from "effect/Result"
import type { Simplify } from "effect/Types"
import type { ApiError, InvalidApiKey, NotFound } from "../errors/ApiError.ts"
import * as EndpointSpec from "../endpoint/EndpointSpec.ts"
import { CustodyClient } from "./CustodyClient.ts"
import { type Continued, nextCursor } from "../answer/ListAnswer.ts"
import { makeOperation } from "../endpoint/makeOperation.ts"
import * as Operation from "../endpoint/Operation.ts"
import type * as Page from "../paging/Page.ts"
import type {
  NotSent,
  OutcomeUnknown,
  RequestInvalid,
  TransportError,
  UnconfirmedEndpoint,
  UnexpectedResponse
} from "../errors/SdkError.ts"
import type { SessionError } from "../errors/SessionError.ts"

/**
 * The error answers of every endpoint with an access token.
 *
 * @since 0.1.0
 * @category errors
 */
export type AnswerError = Exclude<ApiError, InvalidApiKey | NotFound>

/**
 * The errors of every read: the service refuses, no answer comes, the answer is not as declared, or there is no session.
 *
 * @since 0.1.0
 * @category errors
 */
export type ReadError = AnswerError | TransportError | UnexpectedResponse | SessionError

/**
 * The errors of every write: the service refuses, the input is invalid, or there is no session. Without a usable
 * answer, the error is `NotSent` if the write certainly did not reach the service, and `OutcomeUnknown` if it may have.
 *
 * @since 0.1.0
 * @category errors
 */
export type WriteError = AnswerError | RequestInvalid | NotSent | OutcomeUnknown | SessionError

type TypeOf<S> = [S] extends [never] ? {} : S extends { readonly Type: infer T } ? T : {}

/** Removes the brand with which Effect marks a multipart payload, because the brand is not a field of the input. */
type Unbranded<T> = { [K in keyof T as K extends keyof Brand.Brand<string> ? never : K]: T[K] }

/**
 * The input of a contract's function: path parameters, query and body in one object.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Input<C extends EndpointSpec.Any> = Simplify<
  TypeOf<C["~Params"]> & TypeOf<C["~Query"]> & Unbranded<TypeOf<C["~Payload"]>>
>

/**
 * The result of a contract's function: the `data` of its envelope.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Payload<C extends EndpointSpec.Any> = C["~Success"] extends { readonly Type: { readonly data: infer A } }
  ? A
  : never

/**
 * The errors of a contract's function: those that the contract declares, and those that follow from its safety class,
 * its provenance and its input.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Failure<C extends EndpointSpec.Any> = Failures<C>["of"]

/**
 * An interface instead of a type alias, because TypeScript resolves an interface's members only when they are used. So
 * a hover shows the errors, not the contract.
 */
interface Failures<C extends EndpointSpec.Any> {
  readonly of:
    | C["~Error"]["Type"]
    | (C["safety"] extends "read" ? TransportError : NotSent)
    | (keyof Input<C> extends never ? never : RequestInvalid)
    | (C["provenance"] extends "specified" ? never : UnconfirmedEndpoint)
    | (C["safety"] extends "read" ? UnexpectedResponse : OutcomeUnknown)
    | (C["safety"] extends "session" ? never : SessionError)
}

type Arguments<I> = keyof I extends never ? [] : {} extends I ? [input?: I] : [input: I]

/**
 * The function of an endpoint, with facts from its contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint<
  I,
  out A,
  out E,
  out P extends EndpointSpec.Provenance = EndpointSpec.Provenance,
  out S extends EndpointSpec.Safety = EndpointSpec.Safety
> extends Operation.Holder<A, E> {
  (...input: Arguments<I>): Effect.Effect<A, E, CustodyClient>
  /** The name, such as `vaults.details`. */
  readonly operation: string
  readonly contract: EndpointSpec.Any
  readonly provenance: P
  readonly safety: S
}

/** The type of the function that calls a declared endpoint. A mapped type, so that editors show the input's fields. */
type Of<C extends EndpointSpec.Any, A> = Endpoint<
  { [K in keyof Input<C>]: Input<C>[K] },
  A,
  Failure<C>,
  C["provenance"],
  C["safety"]
>

type Endpoints<G extends HttpApiGroup.Constraint> = G["endpoints"]

const define = <E>(group: HttpApiGroup.Constraint, name: string, open: (envelope: any) => unknown): E => {
  const contract = EndpointSpec.get(group, name)
  const operation = makeOperation(group, contract, open)
  // oxlint-disable-next-line effecttsgo/any-unknown-in-error-context -- the endpoint's own type names its errors.
  const call = (input?: unknown) => CustodyClient.use((client) => client.call(operation, input))
  const { provenance, safety } = operation
  return Object.assign(call, {
    operation: operation.operation,
    provenance,
    safety,
    contract,
    [Operation.TypeId]: operation
  }) as never
}

/**
 * Makes the function of an endpoint in a group. A contract of your own gets the access token, typed errors and retries
 * too.
 *
 * Specification: "Endpoints".
 *
 * @example
 * ```ts
 * import { ApiError, EndpointSpec, Endpoint } from "@effect-custody/core"
 * import { Schema } from "effect"
 * import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
 *
 * class ReportsApi extends HttpApiGroup.make("reports").add(
 *   HttpApiEndpoint.get("daily", "/reports/:day", {
 *     params: { day: Schema.String },
 *     success: EndpointSpec.envelope(Schema.Struct({ total: Schema.String })),
 *     error: ApiError.authenticatedResource
 *   }).pipe(EndpointSpec.assumed({ safety: "read", section: "our own agreement with the service" }))
 * ) {}
 *
 * const daily = Endpoint.make(ReportsApi, "daily")
 * const today = daily({ day: "2026-11-20" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <G extends HttpApiGroup.Constraint, N extends keyof Endpoints<G> & string>(
  group: G,
  name: N
): Endpoints<G>[N] extends infer C extends EndpointSpec.Any ? Of<C, Payload<C>> : never =>
  define(group, name, ({ data }) => data)

/**
 * Makes the function of a list endpoint. Each call returns one page; `Page.stream` reads all items.
 *
 * @since 0.1.0
 * @category constructors
 */
export const list = <G extends HttpApiGroup.Constraint, N extends keyof Endpoints<G> & string>(
  group: G,
  name: N
): Endpoints<G>[N] extends infer C extends EndpointSpec.Any ? Of<C, Page.Page<Item<Payload<C>>>> : never =>
  define(group, name, ({ data, meta, [nextCursor]: next }: Listed) => ({
    items: data,
    meta,
    ...(next === undefined ? {} : typeof next === "string" ? { nextCursor: next } : { [nextCursor]: next })
  }))

/**
 * Computes the fingerprint of an endpoint's input: SHA-256 in hexadecimal. The `OutcomeUnknown` of a call with the input has
 * the same fingerprint. A file counts by its name, type and size.
 *
 * Fails with {@link RequestInvalid} if the input does not fit the endpoint's schema.
 *
 * @example
 * ```ts
 * import { Amount, Endpoint } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const payout = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }
 * const fingerprint = Endpoint.fingerprint(Transactions.send, payout)
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const fingerprint = <I extends ReadonlyArray<any>>(
  endpoint: Operation.Holder<unknown, unknown> & ((...input: I) => unknown),
  ...input: I
): Result.Result<string, RequestInvalid> => Result.map(Operation.of(endpoint).encode(input[0]), Operation.fingerprint)

interface Listed extends Continued {
  readonly data: ReadonlyArray<unknown>
  readonly meta?: Page.Meta
}

type Item<A> = A extends ReadonlyArray<infer I> ? I : never
