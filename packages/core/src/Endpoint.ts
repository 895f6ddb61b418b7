/**
 * From a contract to a typed function: what an endpoint takes, what it gives, and how it can fail.
 */
import type * as Brand from "effect/Brand"
import type * as Effect from "effect/Effect"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Simplify } from "effect/Types"
import type {
  BadRequest,
  InvalidAccessToken,
  InvalidRefreshToken,
  TokenExpired,
  UnknownApiError,
  ValidationFailed
} from "./ApiError.ts"
import type * as Contract from "./Contract.ts"
import { CustodyClient } from "./CustodyClient.ts"
import { contractOf, endpointOf } from "./internal/httpApi.ts"
import { operationOf } from "./internal/operation.ts"
import type { Operation } from "./Operation.ts"
import type * as Page from "./Page.ts"
import type {
  NotSent,
  OutcomeUnknown,
  RequestInvalid,
  TransportError,
  UnconfirmedEndpoint,
  UnexpectedResponse
} from "./SdkError.ts"
import type { SessionError } from "./SessionError.ts"

/**
 * The answers of the error kind that any endpoint with an access token can give.
 *
 * @since 0.1.0
 * @category errors
 */
export type AnswerError =
  | InvalidAccessToken
  | InvalidRefreshToken
  | TokenExpired
  | ValidationFailed
  | BadRequest
  | UnknownApiError

/**
 * How every read can fail: the service says no, no answer came, the answer is not as declared, or there is no session.
 *
 * @since 0.1.0
 * @category errors
 */
export type ReadError = AnswerError | TransportError | UnexpectedResponse | SessionError

/**
 * How every write can fail: the service says no, the input is not valid, nothing was sent, nobody can say whether it
 * happened, or there is no session.
 *
 * @since 0.1.0
 * @category errors
 */
export type WriteError = AnswerError | RequestInvalid | NotSent | OutcomeUnknown | SessionError

type TypeOf<S> = [S] extends [never] ? {} : S extends { readonly Type: infer T } ? T : {}

/** Effect marks a multipart payload with a brand: the marker is no field. */
type Unbranded<T> = { [K in keyof T as K extends keyof Brand.Brand<string> ? never : K]: T[K] }

/** What a contract's function takes: its path parameters, query and body in one object. */
export type Input<C extends Contract.Any> = Simplify<
  TypeOf<C["~Params"]> & TypeOf<C["~Query"]> & Unbranded<TypeOf<C["~Payload"]>>
>

/** The payload of a contract: what its envelope holds under `data`. */
export type Payload<C extends Contract.Any> = C["~Success"] extends { readonly Type: { readonly data: infer A } }
  ? A
  : never

/**
 * How a contract's function can fail: what its answers can say, and the failures of our side that this kind of endpoint
 * can have. A specified endpoint is never unconfirmed; only a read can fail on an answer without doubt about its effect, and only what a read got no answer to is a
 * `TransportError` of either phase; only what takes an access token can lack a session; what takes no input cannot be given a wrong one.
 */
export type Failure<C extends Contract.Any> = Failures<C>["of"]

/** A member of an interface is resolved where it is used: a declaration names the errors, and not the contract. */
interface Failures<C extends Contract.Any> {
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
 * A function of the API, with what is known of its endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint<
  I,
  out A,
  out E,
  out P extends Contract.Provenance = Contract.Provenance,
  out S extends Contract.Safety = Contract.Safety
> extends Operation<A, E> {
  (...input: Arguments<I>): Effect.Effect<A, E, CustodyClient>
  readonly contract: Contract.Any
  readonly provenance: P
  readonly safety: S
}

/** The function of a contract. What it takes is spelt out, for whoever looks at it in an editor. */
type Of<C extends Contract.Any, A> = Endpoint<
  { [K in keyof Input<C>]: Input<C>[K] },
  A,
  Failure<C>,
  C["provenance"],
  C["safety"]
>

type Endpoints<G extends HttpApiGroup.Constraint> = G["endpoints"]

const define = <E>(group: HttpApiGroup.Constraint, name: string, open: (envelope: any) => unknown): E => {
  const contract = contractOf(group, name)
  const operation = operationOf(group, contract, open)
  // oxlint-disable-next-line effecttsgo/any-unknown-in-error-context -- the endpoint's own type names its errors.
  const call = (input?: unknown) => CustodyClient.use((client) => client.call(operation, input))
  return endpointOf(call, operation, contract)
}

/**
 * The function of an endpoint of a group. The pipeline (tokens, errors, retries) is the same for your own contracts.
 *
 * @example
 * ```ts
 * import { ApiError, Contract, Endpoint, Envelope } from "@effect-custody/core"
 * import { Schema } from "effect"
 * import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
 *
 * class ReportsApi extends HttpApiGroup.make("reports").add(
 *   HttpApiEndpoint.get("daily", "/reports/:day", {
 *     params: { day: Schema.String },
 *     success: Envelope.of(Schema.Struct({ total: Schema.String })),
 *     error: ApiError.authenticatedResource
 *   }).pipe(Contract.assumed({ safety: "read", section: "our own agreement with the service" }))
 * ) {}
 *
 * const daily = Endpoint.make(ReportsApi, "daily")
 * const today = daily({ day: "2026-11-20" })
 * ```
 */
export const make = <G extends HttpApiGroup.Constraint, N extends keyof Endpoints<G> & string>(
  group: G,
  name: N
): Endpoints<G>[N] extends infer C extends Contract.Any ? Of<C, Payload<C>> : never =>
  define(group, name, ({ data }) => data)

/** The function of a list endpoint: one page per call. */
export const list = <G extends HttpApiGroup.Constraint, N extends keyof Endpoints<G> & string>(
  group: G,
  name: N
): Endpoints<G>[N] extends infer C extends Contract.Any ? Of<C, Page.Page<Item<Payload<C>>>> : never =>
  define(group, name, ({ data, meta }) => ({ items: data, meta }))

type Item<A> = A extends ReadonlyArray<infer I> ? I : never
