/**
 * Declares the endpoints of the API: each is a function that carries its declaration.
 *
 * 1. The types say what an endpoint takes, returns and fails with, by its kind.
 * 2. The schemas of its values are made from its declaration, at first use.
 * 3. `read`, `list`, `write`, `keyed` and `session` declare one.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import type { Simplify } from "effect/Types"
import * as Declaration from "../endpoint/Declaration.ts"
import * as Operation from "../endpoint/Operation.ts"
import { type exact, isDefined } from "../endpoint/input.ts"
import { type AnswerError, type ErrorClass, ofEvery } from "../errors/ApiError.ts"
import {
  InputInvalid,
  NotSent,
  OutcomeUnknown,
  TransportError,
  UnconfirmedEndpoint,
  UnexpectedResponse
} from "../errors/SdkError.ts"
import { type SessionError, sessionErrors } from "../errors/SessionError.ts"
import * as Page from "../lists/Page.ts"
import { CustodyClient } from "./CustodyClient.ts"

export type { Declaration, Existing, Provenance, Safety } from "../endpoint/Declaration.ts"
export { exact } from "../endpoint/input.ts"
export type { ErrorClass } from "../errors/ApiError.ts"

// 1. What an endpoint takes, returns and fails with, by its kind.

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
export type WriteError = AnswerError | InputInvalid | NotSent | OutcomeUnknown | SessionError

/**
 * The errors of every request with a one-time secret.
 *
 * @since 0.1.0
 * @category errors
 */
export type StartError = AnswerError | InputInvalid | NotSent | OutcomeUnknown

type Fields = Schema.Struct.Fields

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
 * @since 0.1.0
 * @category utility types
 */
export type InputOf<F extends Fields> = Simplify<
  RequiredPart<Pick<F, Exclude<keyof F, OptionalName<F>>>> & OptionalPart<Pick<F, OptionalName<F>>>
>

/** The arguments of an endpoint's function. */
type Arguments<I> = [I] extends [void] ? [] : {} extends I ? [input?: I] : [input: I]

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
 * The function of an endpoint, which carries its declaration. It is a function, not an Effect, so it can be passed
 * directly: `Effect.tap(payment, Transactions.send)`.
 *
 * The schemas `input`, `output` and `errors` describe the function's values, not the wire format. Use them to store or
 * send a value as JSON: in a workflow, a queue, an RPC. They refuse to encode secrets and files.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint<I, A, E> extends Operation.Operation<A, E> {
  (...input: Arguments<I>): Effect.Effect<A, E, CustodyClient>
  readonly input: InputSchema<[I] extends [void] ? {} : I>
  readonly output: JsonSchema<A>
  readonly errors: JsonSchema<E>
}

/**
 * The input of an endpoint.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Input<F> = F extends Endpoint<infer I, infer _A, infer _E> ? I : never

/**
 * The result of an endpoint.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Output<F> = F extends Endpoint<infer _I, infer A, infer _E> ? A : never

/**
 * The errors of an endpoint.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Failure<F> = F extends Endpoint<infer _I, infer _A, infer E> ? E : never

interface Errors {
  readonly read: ReadError
  readonly list: ReadError | InputInvalid
  readonly keyed: WriteError
  readonly write: WriteError
  readonly session: StartError
}

type Kind = keyof Errors

/** The routes that a kind of endpoint takes. */
type RouteOf<K extends Kind> = `${(typeof Declaration.methods)[K extends "list" ? "read" : K][number]} /${string}`

/** The names of a route's parameters. */
type Parameter<Route> = Route extends `${infer Segment}/${infer Rest}` ? Named<Segment> | Parameter<Rest> : Named<Route>

type Named<Segment> = Segment extends `:${infer Name}` ? Name : never

/** Refuses names, with the reason in the compiler's message. */
type Refused<Name extends PropertyKey, Reason> = NoInfer<{ readonly [N in Name]: Reason }>

type FieldsOf<P> = P extends Schema.Struct<infer F> ? F : P

/** What every declaration says. */
interface Options<Route, P, Params, Query, S, E> {
  /** The method and path, such as `GET /wallets/:walletId`. */
  readonly route: Route
  /** The section of the specification that shows the route. */
  readonly section?: string
  /**
   * The section that names the endpoint without its route, so that the route is assumed: the SDK sends the request to a
   * real service only if a contract confirms the endpoint. Leave it out for what your service's documentation
   * shows.
   */
  readonly assumed?: P
  /** A field for each parameter of the route. */
  readonly params?: Params & Refused<Exclude<keyof Params, Parameter<Route>>, "is not a parameter of the route">
  readonly query?: Query & Refused<keyof Query & keyof Params, "is the name of a path parameter">
  /** The record of a success; of a list, one item. */
  readonly success: S
  /** The error answers, beside those of every endpoint. */
  readonly errors?: ReadonlyArray<E>
}

/** Requires a field for each parameter of a route. */
type WithParameters<Route> = [Parameter<Route>] extends [never]
  ? unknown
  : { readonly params: { readonly [N in Parameter<Route>]: Schema.Top } }

interface ReadOptions<Route, P, Params, Query, S, E> extends Options<Route, P, Params, Query, S, E> {
  /**
   * How to recognise the requested record. A string names the path parameter with the id. Use a string if the record
   * shows its id under `id` or under that name.
   */
  readonly about?: (keyof Params & string) | Declaration.About
}

interface BodyOptions<Route, P, Params, Query, Payload, S, E> extends Options<Route, P, Params, Query, S, E> {
  /** The fields of the body, or a struct of them. */
  readonly payload?: Payload &
    Refused<keyof FieldsOf<Payload> & (keyof Params | keyof Query), "is the name of a path parameter or of the query">
  /** Sends the payload as `multipart/form-data`. */
  readonly isMultipart?: boolean
  /** The HTTP status of a success. Default: 201. */
  readonly status?: number
  /** The operation that shows whether this operation took effect. */
  readonly lookUp?: Declaration.Declaration["lookUp"]
}

interface Keyed {
  /** Finds what was created, by name. Its read is also the `lookUp`, unless you give another. */
  readonly existing: Declaration.Existing
}

type OptionsOf<K extends Kind, Route, P, Params, Query, Payload, S, E> = K extends "read" | "list"
  ? ReadOptions<Route, P, Params, Query, S, E>
  : BodyOptions<Route, P, Params, Query, Payload, S, E> & (K extends "keyed" ? Keyed : unknown)

/** The parts are a tuple, so that the compiler infers none of them from an expected type. */
type InputFor<K extends Kind, Parts> = Parts extends [infer Params, infer Query, infer Payload]
  ? Whole<K, Params & Query & FieldsOf<Payload>>
  : never

type Whole<K extends Kind, F> = [keyof F] extends [never]
  ? K extends "list"
    ? Page.Query
    : void
  : F extends Fields
    ? K extends "list"
      ? Simplify<InputOf<F> & Page.Query>
      : InputOf<F>
    : never

type Own<E> = E extends { readonly Type: infer A } ? A : never

type Assumed<P> = [P] extends [never] ? never : UnconfirmedEndpoint

type Unfit<K extends Kind, F> = K extends "read" ? ([keyof F] extends [never] ? never : InputInvalid) : never

/** Declares an endpoint of a kind. */
interface Declare<K extends Kind> {
  <
    const Route extends RouteOf<K>,
    S extends Schema.Top,
    E extends ErrorClass = never,
    Params extends Fields = {},
    Query extends Fields = {},
    Payload extends Declaration.Payload = {},
    P extends string = never
  >(
    operation: string,
    options: OptionsOf<K, Route, P, Params, Query, Payload, S, E> & WithParameters<Route>
  ): Endpoint<
    InputFor<K, [Params, Query, Payload]>,
    K extends "list" ? Page.Page<S["Type"]> : S["Type"],
    Errors[K] | Unfit<K, Params & Query> | Own<E> | Assumed<P>
  >
}

// 2. The schemas of an endpoint's values, not of its wire format. They encode a value as JSON without loss.

type Codec = Schema.Codec<unknown, Schema.Json>

/** Makes the codec between the decoded side of a schema and JSON. */
const toJson = (schema: Schema.Top): Codec => Schema.toCodecJson(Schema.toType(schema)) as Codec

/** Lets an optional field be `undefined`. The JSON then lacks the field. */
const orUndefined = (field: Codec): Schema.Top =>
  SchemaAST.isOptional(field.ast) && !isDefined(field.ast)
    ? field.pipe(
        Schema.decodeTo(Schema.optional(Schema.toType(field)), {
          decode: SchemaGetter.passthrough<unknown>(),
          encode: SchemaGetter.transformOptional<unknown, unknown>(Option.filter(Predicate.isNotUndefined))
        })
      )
    : field

/** Makes the schema of an input: path parameters, query and body in one object. */
const inputSchema = (declaration: Declaration.Declaration): Schema.Top =>
  Schema.Struct(Record.map(Declaration.fields(declaration), (field) => orUndefined(toJson(field as Schema.Top))))

const outputSchema = (declaration: Declaration.Declaration): Codec =>
  toJson(
    declaration.isList
      ? Schema.Struct({
          items: Declaration.data(declaration),
          meta: Schema.UndefinedOr(Declaration.Meta),
          nextCursor: Schema.optionalKey(Schema.String),
          hasNext: Schema.optionalKey(Schema.Boolean)
        })
      : Declaration.data(declaration)
  )

/** Makes the schema of the errors in the endpoint's type. */
const errorsSchema = (declaration: Declaration.Declaration): Codec => {
  const { provenance, refusals, safety } = declaration
  return toJson(
    Schema.Union<ReadonlyArray<Schema.Top>>([
      ...[...ofEvery, ...refusals].map((error) => Schema.toType(error)),
      ...(safety === "read" ? [TransportError, UnexpectedResponse] : [NotSent, OutcomeUnknown]),
      ...(safety === "read" && Object.keys(Declaration.fields(declaration)).length === 0 ? [] : [InputInvalid]),
      ...(provenance === "specified" ? [] : [UnconfirmedEndpoint]),
      ...(safety === "session" ? [] : sessionErrors)
    ])
  )
}

// 3. An endpoint: a function that carries its declaration, and makes the rest at first use.

/** Keeps a value that is made at first use. */
const keep = <A>(self: object, name: string, value: A): A => {
  Object.defineProperty(self, name, { value })
  return value
}

/** The prototype of all endpoints. */
const prototype: object = Object.create(
  Function.prototype,
  Object.getOwnPropertyDescriptors({
    get input() {
      return keep(this, "input", inputSchema(this as unknown as Operation.Any))
    },
    get output() {
      return keep(this, "output", outputSchema(this as unknown as Operation.Any))
    },
    get errors() {
      return keep(this, "errors", errorsSchema(this as unknown as Operation.Any))
    },
    get [Operation.TypeId]() {
      return keep(this, Operation.TypeId, Operation.make(this as unknown as Operation.Any))
    }
  })
)

/** The options of any kind. */
interface AnyOptions extends Partial<
  Pick<Declaration.Declaration, "existing" | "isMultipart" | "lookUp" | "payload" | "section" | "status">
> {
  readonly route: string
  readonly assumed?: string
  readonly params?: Fields
  readonly query?: Fields
  readonly success: Schema.Top
  readonly errors?: ReadonlyArray<ErrorClass>
  readonly about?: string | Declaration.About
}

/** Throws for a wrong declaration, which the types of the constructors refuse too. */
const make = (kind: Kind, operation: string, options: AnyOptions): Operation.Any => {
  const { about, existing, query = {} } = options
  const [method = "", path = ""] = options.route.split(" ")
  const declaration: Declaration.Declaration = {
    operation,
    route: { method: method as Declaration.Route["method"], path },
    safety: kind === "list" ? "read" : kind,
    provenance: options.assumed === undefined ? "specified" : "assumed",
    section: options.assumed ?? options.section,
    lookUp: options.lookUp ?? existing?.read,
    existing,
    about: typeof about === "string" ? { parameter: about, idFields: ["id", about] } : about,
    params: options.params ?? {},
    query: kind === "list" ? { ...Page.query, ...query } : query,
    payload: options.payload,
    isMultipart: options.isMultipart ?? false,
    success: options.success,
    isList: kind === "list",
    status: options.status ?? (method === "GET" ? 200 : 201),
    refusals: options.errors ?? []
  }
  const objection = Declaration.objection(declaration)
  if (objection !== undefined) throw new Error(`The endpoint ${operation} is declared wrongly: ${objection}`)
  // oxlint-disable-next-line effecttsgo/any-unknown-in-error-context -- the endpoint's own type names its errors.
  const call = (input?: unknown) => CustodyClient.use((client) => client.call(endpoint, input))
  const endpoint: Operation.Any = Object.assign(Object.setPrototypeOf(call, prototype), declaration)
  return endpoint
}

const declare = <K extends Kind>(kind: K) =>
  ((operation: string, options: AnyOptions) => make(kind, operation, options)) as unknown as Declare<K>

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
 *   params: { day: Schema.String },
 *   success: Schema.Struct({ total: Schema.String })
 * })
 * const today = daily({ day: "2026-11-20" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = declare("read")

/**
 * Declares a list. Each call returns one page; `Page.stream` reads all items. `query` has the filters.
 *
 * @since 0.1.0
 * @category constructors
 */
export const list = declare("list")

/**
 * Declares an operation that moves or creates value each time that it is sent. If in doubt, use this constructor.
 *
 * @since 0.1.0
 * @category constructors
 */
export const write = declare("write")

/**
 * Declares an operation that creates something under a name that the caller chose.
 *
 * @since 0.1.0
 * @category constructors
 */
export const keyed = declare("keyed")

/**
 * Declares a request that spends a one-time secret.
 *
 * @since 0.1.0
 * @category constructors
 */
export const session = declare("session")

/**
 * Computes the fingerprint of an endpoint's input: SHA-256 in hexadecimal. The `OutcomeUnknown` of a call with the input has
 * the same fingerprint. A file counts by its name, type and size.
 *
 * Fails with {@link InputInvalid} if the input does not fit the endpoint's schema.
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
): Result.Result<string, InputInvalid> => Result.map(Operation.encode(endpoint, input[0]), Operation.fingerprint)
