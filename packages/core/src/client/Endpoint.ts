/** Makes a typed function from a contract. */
import type * as Brand from "effect/Brand"
import type * as Effect from "effect/Effect"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Simplify } from "effect/Types"
import type { ApiError, InvalidApiKey, NotFound } from "../errors/ApiError.ts"
import * as EndpointSpec from "../endpoint/EndpointSpec.ts"
import { CustodyClient } from "./CustodyClient.ts"
import * as Schemas from "./endpointSchemas.ts"
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

/** Removes Effect's brand of a multipart payload, because the brand is not a field of the input. */
type Unbranded<T> = { [K in keyof T as K extends keyof Brand.Brand<string> ? never : K]: T[K] }

/** The names of the fields that a schema declares with `EndpointSpec.optionalDefined`. */
type DefinedName<S> = S extends { readonly fields: infer F }
  ? { [K in keyof F]: F[K] extends EndpointSpec.optionalDefined<any> ? K : never }[keyof F]
  : S extends { readonly schema: infer T }
    ? DefinedName<T>
    : never

/** Lets the optional fields be `undefined`, except those in `Defined`. */
type OrUndefined<T, Defined> = {
  [K in keyof T]: K extends Defined ? T[K] : {} extends Pick<T, K> ? T[K] | undefined : T[K]
}

type Part<S> = OrUndefined<Unbranded<TypeOf<S>>, DefinedName<S>>

/**
 * The input of a contract's function: path parameters, query and body in one object. An optional field may be
 * `undefined`, which means absent, unless `EndpointSpec.optionalDefined` declares the field.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Input<C extends EndpointSpec.Any> = Simplify<Part<C["~Params"]> & Part<C["~Query"]> & Part<C["~Payload"]>>

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
 * A schema whose encoded side is JSON.
 *
 * @since 0.1.0
 * @category models
 */
export interface JsonSchema<T> extends Schema.Codec<T, Schema.Json> {
  readonly "~type.make.in": T
  readonly "~type.make": T
}

/** A field that may be `undefined`, and is then absent from the JSON. */
interface OptionalField<T> extends Schema.decodeTo<Schema.optional<JsonSchema<T>>, Schema.optionalKey<JsonSchema<T>>> {}

/**
 * The schema of an input. Spread its `fields` to add fields of your own.
 *
 * @since 0.1.0
 * @category models
 */
export interface InputSchema<I> extends JsonSchema<I> {
  readonly fields: {
    readonly [K in keyof I]-?: {} extends Pick<I, K>
      ? Record<K, undefined> extends Pick<I, K>
        ? OptionalField<Exclude<I[K], undefined>>
        : Schema.optionalKey<JsonSchema<Exclude<I[K], undefined>>>
      : JsonSchema<I[K]>
  }
}

/**
 * The function of an endpoint, with facts from its contract.
 *
 * Use `yield*` to get the function with its client already provided, for example to build a service of your own. An
 * endpoint is a function, not an Effect, so it can be passed directly: `Effect.tap(payment, Transactions.send)`.
 *
 * The schemas `input`, `output` and `errors` describe the function's values, not the wire format. Use them to store or
 * send a value as JSON: in a workflow, a queue, an RPC. They refuse to encode secrets and files.
 *
 * @example
 * ```ts
 * import { Transactions } from "@effect-custody/sdk"
 * import { Context, Effect, Layer } from "effect"
 * import { Workflow } from "effect/workflow"
 *
 * class Treasury extends Context.Service<Treasury>()("app/Treasury", {
 *   make: Effect.gen(function* () {
 *     const send = yield* Transactions.send
 *     return { payOut: send }
 *   })
 * }) {
 *   static readonly layer = Layer.effect(this, this.make)
 * }
 *
 * const Payout = Workflow.make("Payout", {
 *   payload: Transactions.send.input,
 *   success: Transactions.send.output,
 *   error: Transactions.send.errors,
 *   idempotencyKey: ({ note }) => note ?? ""
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint<I, A, E> extends Operation.Holder<A, E> {
  (...input: Arguments<I>): Effect.Effect<A, E, CustodyClient>
  /** Yields the function with its client already provided. */
  [Symbol.iterator](): Effect.EffectIterator<
    Effect.Effect<(...input: Arguments<I>) => Effect.Effect<A, E>, never, CustodyClient>
  >
  /** The name, such as `vaults.details`. */
  readonly operation: string
  readonly input: InputSchema<[I] extends [void] ? {} : I>
  readonly output: JsonSchema<A>
  readonly errors: JsonSchema<E>
  readonly contract: EndpointSpec.Any
  readonly provenance: EndpointSpec.Provenance
  readonly safety: EndpointSpec.Safety
}

/** The type of the function that calls a declared endpoint. A mapped type, so that editors show the input's fields. */
type Of<C extends EndpointSpec.Any, A> = Endpoint<{ [K in keyof Input<C>]: Input<C>[K] }, A, Failure<C>>

type Endpoints<G extends HttpApiGroup.Constraint> = G["endpoints"]

interface Prototype extends Operation.Holder<unknown, unknown> {
  readonly contract: EndpointSpec.Any
  readonly group: HttpApiGroup.Constraint
  readonly open: (envelope: any) => unknown
  readonly toOutput: (contract: EndpointSpec.Any) => unknown
}

/** Replaces a getter of the endpoint with its value. */
const keep = <A>(endpoint: object, name: string, value: A): A => {
  Object.defineProperty(endpoint, name, { value })
  return value
}

/** The prototype of all endpoints. Makes the operation and the schemas at first use. */
const prototype: object = Object.create(
  Function.prototype,
  Object.getOwnPropertyDescriptors({
    get input() {
      return keep(this, "input", Schemas.input((this as unknown as Prototype).contract))
    },
    get output() {
      const { contract, toOutput } = this as unknown as Prototype
      return keep(this, "output", toOutput(contract))
    },
    get errors() {
      return keep(this, "errors", Schemas.errors((this as unknown as Prototype).contract))
    },
    get [Operation.TypeId]() {
      const { contract, group, open } = this as unknown as Prototype
      return keep(this, Operation.TypeId, makeOperation(group, contract, open))
    },
    [Symbol.iterator]() {
      const operation = Operation.of(this as unknown as Prototype)
      // oxlint-disable-next-line effecttsgo/any-unknown-in-error-context -- the endpoint's own type names its errors.
      return CustodyClient.useSync((client) => (input?: unknown) => client.call(operation, input))[Symbol.iterator]()
    }
  })
)

const define = <E>(
  group: HttpApiGroup.Constraint,
  name: string,
  open: (envelope: any) => unknown,
  toOutput: (contract: EndpointSpec.Any) => unknown
): E => {
  const contract = EndpointSpec.get(group, name)
  // oxlint-disable-next-line effecttsgo/any-unknown-in-error-context -- the endpoint's own type names its errors.
  const call = (input?: unknown) => CustodyClient.use((client) => client.call(Operation.of(endpoint), input))
  const { provenance, safety } = contract
  const endpoint = Object.assign(Object.setPrototypeOf(call, prototype), {
    operation: `${group.identifier}.${name}`,
    provenance,
    safety,
    contract,
    group,
    open,
    toOutput
  })
  return endpoint
}

/**
 * Makes the function of an endpoint in a group. Calls under a contract of your own have an access token, typed errors
 * and retries too.
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
  define(group, name, ({ data }) => data, Schemas.payload)

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
  define(
    group,
    name,
    ({ data, meta, [nextCursor]: next }: Listed) => ({
      items: data,
      meta,
      ...(next === undefined ? {} : typeof next === "string" ? { nextCursor: next } : { [nextCursor]: next })
    }),
    Schemas.page
  )

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
