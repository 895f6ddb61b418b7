/** Declares the endpoints of the API: each is a function that carries its declaration. */
import type * as Effect from "effect/Effect"
import type * as HttpMethod from "effect/http/HttpMethod"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Simplify } from "effect/Types"
import type { ApiError, InvalidApiKey, NotFound } from "../errors/ApiError.ts"
import * as Codec from "../endpoint/codec.ts"
import type * as Declaration from "../endpoint/Declaration.ts"
import * as Operation from "../endpoint/Operation.ts"
import type {
  NotSent,
  OutcomeUnknown,
  RequestInvalid,
  TransportError,
  UnconfirmedEndpoint,
  UnexpectedResponse
} from "../errors/SdkError.ts"
import type { SessionError } from "../errors/SessionError.ts"
import * as Page from "../paging/Page.ts"
import { CustodyClient } from "./CustodyClient.ts"
import * as Schemas from "./endpointSchemas.ts"

export type { Declaration, ErrorClass, Existing, Provenance, Safety } from "../endpoint/Declaration.ts"

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

/**
 * The errors of every request with a one-time secret.
 *
 * @since 0.3.0
 * @category errors
 */
export type StartError = AnswerError | RequestInvalid | NotSent | OutcomeUnknown

type Fields = Schema.Struct.Fields

/** The type of an {@link exact} field. */
export interface exact<S extends Schema.Constraint> extends Schema.optionalKey<S> {
  readonly "~custodyDefined": true
}

/**
 * Makes an optional field of an input. A caller may leave the field out, but must not set it to `undefined`, because an
 * accidental `undefined` must not change what the call moves. In every other optional field, `undefined` means absent.
 *
 * @since 0.3.0
 * @category constructors
 */
export const exact = <S extends Schema.Top>(schema: S): exact<S> =>
  Schema.optionalKey(schema).annotate({ custodyDefined: true }) as exact<S>

type OptionalName<F> = {
  [K in keyof F]: F[K] extends { readonly "~type.optionality": "optional" } ? K : never
}[keyof F]

/** Mapped over the fields themselves, so that editors show the fields' comments. */
type RequiredPart<F extends Fields> = { readonly [K in keyof F]: F[K]["Type"] }

/** Lets the optional fields be `undefined`, except the exact ones. */
type OptionalPart<F extends Fields> = {
  readonly [K in keyof F]?: F[K]["Type"] | (F[K] extends exact<any> ? never : undefined)
}

/**
 * The input type of fields: path parameters, query and payload in one object.
 *
 * @since 0.3.0
 * @category utility types
 */
export type InputOf<F extends Fields> = Simplify<
  RequiredPart<Pick<F, Exclude<keyof F, OptionalName<F>>>> & OptionalPart<Pick<F, OptionalName<F>>>
>

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
 * The function of an endpoint, which carries its declaration.
 *
 * Use `yield*` to get the function with its client already provided, for example to build a service of your own. An
 * endpoint is a function, not an Effect, so it can be passed directly: `Effect.tap(payment, Transactions.send)`.
 *
 * The schemas `input`, `output` and `errors` describe the function's values, not the wire format. Use them to store or
 * send a value as JSON: in a workflow, a queue, an RPC. They refuse to encode secrets and files.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint<I, A, E> extends Operation.Operation<A, E> {
  (...input: Arguments<I>): Effect.Effect<A, E, CustodyClient>
  /** Yields the function with its client already provided. */
  [Symbol.iterator](): Effect.EffectIterator<
    Effect.Effect<(...input: Arguments<I>) => Effect.Effect<A, E>, never, CustodyClient>
  >
  readonly input: InputSchema<[I] extends [void] ? {} : I>
  readonly output: JsonSchema<A>
  readonly errors: JsonSchema<E>
}

/**
 * The input of an endpoint.
 *
 * @since 0.3.0
 * @category utility types
 */
export type Input<F> = F extends Endpoint<infer I, infer _A, infer _E> ? I : never

/**
 * The result of an endpoint.
 *
 * @since 0.3.0
 * @category utility types
 */
export type Output<F> = F extends Endpoint<infer _I, infer A, infer _E> ? A : never

/**
 * The errors of an endpoint.
 *
 * @since 0.3.0
 * @category utility types
 */
export type Failure<F> = F extends Endpoint<infer _I, infer _A, infer E> ? E : never

type Method = Extract<HttpMethod.HttpMethod, "DELETE" | "GET" | "PATCH" | "POST" | "PUT">

/** What every declaration says. */
interface Options<P, Params, Query, S, E> {
  /** The method and path, such as `GET /wallets/:walletId`. */
  readonly route: `${Method} /${string}`
  readonly provenance: P
  /** The section of the specification that describes the endpoint. */
  readonly section: string
  readonly params?: Params
  readonly query?: Query
  /** The record of a success. */
  readonly success: S
  /** The error answers, beside those of every endpoint. */
  readonly errors?: ReadonlyArray<E>
}

interface ReadOptions<P, Params, Query, S, E> extends Options<P, Params, Query, S, E> {
  /**
   * How to recognise the requested record. A string names the path parameter with the id. Use a string if the record
   * shows its id under `id` or under that name.
   */
  readonly about?: (keyof Params & string) | Declaration.About
}

interface BodyOptions<P, Params, Query, Payload, S, E> extends Options<P, Params, Query, S, E> {
  readonly payload?: Payload
  /** Sends the payload as `multipart/form-data`. */
  readonly isMultipart?: boolean
  /** The HTTP status of a success. Default: 201. */
  readonly status?: number
  /** The operation that shows whether this operation took effect. */
  readonly lookUp?: string
}

interface KeyedOptions<P, Params, Query, Payload, S, E> extends BodyOptions<P, Params, Query, Payload, S, E> {
  readonly existing: Declaration.Existing
}

type Own<E> = E extends { readonly Type: infer A } ? A : never

type Assumed<P> = P extends "specified" ? never : UnconfirmedEndpoint

type Unfit<F> = keyof F extends never ? never : RequestInvalid

/** The prototype of all endpoints. Makes the codec and the schemas at first use. */
const keep = <A>(self: object, name: string, value: A): A => {
  Object.defineProperty(self, name, { value })
  return value
}

const prototype: object = Object.create(
  Function.prototype,
  Object.getOwnPropertyDescriptors({
    get input() {
      return keep(this, "input", Schemas.input(this as unknown as Operation.Any))
    },
    get output() {
      return keep(this, "output", Schemas.output(this as unknown as Operation.Any))
    },
    get errors() {
      return keep(this, "errors", Schemas.errors(this as unknown as Operation.Any))
    },
    get [Operation.TypeId]() {
      return keep(this, Operation.TypeId, Codec.make(this as unknown as Operation.Any))
    },
    [Symbol.iterator]() {
      const operation = this as unknown as Operation.Any
      // oxlint-disable-next-line effecttsgo/any-unknown-in-error-context -- the endpoint's own type names its errors.
      return CustodyClient.useSync((client) => (input?: unknown) => client.call(operation, input))[Symbol.iterator]()
    }
  })
)

interface AnyOptions
  extends
    ReadOptions<Declaration.Provenance, Fields, Fields, Schema.Top, Declaration.ErrorClass>,
    Omit<BodyOptions<Declaration.Provenance, Fields, Fields, Fields, Schema.Top, Declaration.ErrorClass>, never> {
  readonly existing?: Declaration.Existing
}

/** The number of endpoints so far. */
let declared = 0

const declare =
  (safety: Declaration.Safety, isList = false) =>
  (operation: string, options: any): any => {
    const {
      about,
      errors,
      existing,
      isMultipart,
      lookUp,
      params,
      payload,
      provenance,
      query,
      route,
      section,
      status,
      success
    } = options as AnyOptions
    const [method, path] = route.split(" ") as [Method, string]
    const declaration: Declaration.Declaration = {
      operation,
      route: { method, path },
      safety,
      provenance,
      section,
      lookUp,
      existing,
      about: typeof about === "string" ? { parameter: about, idFields: ["id", about] } : about,
      params: params ?? {},
      query: query ?? {},
      payload,
      isMultipart: isMultipart ?? false,
      success,
      isList,
      status: status ?? (safety === "read" ? 200 : 201),
      refusals: errors ?? [],
      ordinal: declared++
    }
    // oxlint-disable-next-line effecttsgo/any-unknown-in-error-context -- the endpoint's own type names its errors.
    const call = (input?: unknown) => CustodyClient.use((client) => client.call(endpoint, input))
    const endpoint: Operation.Any = Object.assign(Object.setPrototypeOf(call, prototype), declaration)
    return endpoint
  }

/**
 * Declares a read of one record.
 *
 * @example
 * ```ts
 * import { Endpoint } from "@effect-custody/core"
 * import { Schema } from "effect"
 *
 * const daily = Endpoint.read("reports.daily", {
 *   route: "GET /reports/:day",
 *   provenance: "assumed",
 *   section: "our own agreement with the service",
 *   params: { day: Schema.String },
 *   success: Schema.Struct({ total: Schema.String })
 * })
 * const today = daily({ day: "2026-11-20" })
 * ```
 *
 * @since 0.3.0
 * @category constructors
 */
export const read: <
  const P extends Declaration.Provenance,
  S extends Schema.Top,
  E extends Declaration.ErrorClass = never,
  Params extends Fields = {},
  Query extends Fields = {}
>(
  operation: string,
  options: ReadOptions<P, Params, Query, S, E>
) => Endpoint<InputOf<Params & Query>, S["Type"], ReadError | Unfit<Params & Query> | Own<E> | Assumed<P>> =
  declare("read")

/**
 * Declares a list. Each call returns one page; `Page.stream` reads all items. `query` has the filters.
 *
 * @since 0.3.0
 * @category constructors
 */
export const list: <
  const P extends Declaration.Provenance,
  S extends Schema.Top,
  E extends Declaration.ErrorClass = never,
  Params extends Fields = {},
  Query extends Fields = {}
>(
  operation: string,
  options: ReadOptions<P, Params, Query, S, E>
) => Endpoint<
  InputOf<Params & Query> & Page.Query extends infer I ? { [K in keyof I]: I[K] } : never,
  Page.Page<S["Type"]>,
  ReadError | RequestInvalid | Own<E> | Assumed<P>
> = (operation: string, options: any): any =>
  list_(operation, { ...options, query: { ...Page.query, ...options.query } })

const list_ = declare("read", true)

/**
 * Declares an operation that moves or creates value each time that it is sent.
 *
 * @since 0.3.0
 * @category constructors
 */
export const write: <
  const P extends Declaration.Provenance,
  S extends Schema.Top,
  E extends Declaration.ErrorClass = never,
  Params extends Fields = {},
  Query extends Fields = {},
  Payload extends Fields = {}
>(
  operation: string,
  options: BodyOptions<P, Params, Query, Payload, S, E>
) => Endpoint<InputOf<Params & Query & Payload>, S["Type"], WriteError | Own<E> | Assumed<P>> = declare("write")

/**
 * Declares an operation that creates something under a name that the caller chose.
 *
 * @since 0.3.0
 * @category constructors
 */
export const keyed: <
  const P extends Declaration.Provenance,
  S extends Schema.Top,
  E extends Declaration.ErrorClass = never,
  Params extends Fields = {},
  Query extends Fields = {},
  Payload extends Fields = {}
>(
  operation: string,
  options: KeyedOptions<P, Params, Query, Payload, S, E>
) => Endpoint<InputOf<Params & Query & Payload>, S["Type"], WriteError | Own<E> | Assumed<P>> = declare("keyed")

/**
 * Declares a request that spends a one-time secret.
 *
 * @since 0.3.0
 * @category constructors
 */
export const session: <
  const P extends Declaration.Provenance,
  S extends Schema.Top,
  E extends Declaration.ErrorClass = never,
  Payload extends Fields = {}
>(
  operation: string,
  options: BodyOptions<P, {}, {}, Payload, S, E>
) => Endpoint<InputOf<Payload>, S["Type"], StartError | Own<E> | Assumed<P>> = declare("session")

/**
 * `true` for an endpoint.
 *
 * @since 0.3.0
 * @category guards
 */
export const isEndpoint = (u: unknown): u is Operation.Any => typeof u === "function" && Operation.TypeId in u

/**
 * The endpoints of a category's module, in the order of their declarations.
 *
 * @since 0.3.0
 * @category getters
 */
export const all = (category: object): ReadonlyArray<Operation.Any> =>
  Object.values(category)
    .filter(isEndpoint)
    .toSorted((a, b) => a.ordinal - b.ordinal)

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
  endpoint: Operation.Any & ((...input: I) => unknown),
  ...input: I
): Result.Result<string, RequestInvalid> => Result.map(Operation.encode(endpoint, input[0]), Operation.fingerprint)
