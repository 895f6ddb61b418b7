/**
 * Declares the endpoints of the API: each is a function that carries its declaration.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Declaration from "../endpoint/Declaration.ts"
import * as Operation from "../endpoint/Operation.ts"
import { isDefined } from "../endpoint/input.ts"
import { type ErrorClass, ofEvery } from "../errors/ApiError.ts"
import type { InputInvalid } from "../errors/SdkError.ts"
import * as Sdk from "../errors/SdkError.ts"
import { sessionErrors } from "../errors/SessionError.ts"
import * as Page from "../lists/Page.ts"
import { CustodyClient } from "./CustodyClient.ts"
import type { Declare, Fields, Kind } from "./endpointTypes.ts"

export type { Declaration, Existing, Provenance, Safety } from "../endpoint/Declaration.ts"
export { exact } from "../endpoint/input.ts"
export type { ErrorClass } from "../errors/ApiError.ts"
export type {
  Endpoint,
  Failure,
  Input,
  InputOf,
  InputSchema,
  JsonSchema,
  Output,
  ReadError,
  StartError,
  WriteError
} from "./endpointTypes.ts"

// The schemas of an endpoint's values, not of its wire format. They encode a value as JSON without loss.

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
      ...(safety === "read" ? [Sdk.TransportError, Sdk.UnexpectedResponse] : [Sdk.NotSent, Sdk.OutcomeUnknown]),
      ...(safety === "read" && Object.keys(Declaration.fields(declaration)).length === 0 ? [] : [Sdk.InputInvalid]),
      ...(provenance === "specified" ? [] : [Sdk.UnconfirmedEndpoint]),
      ...(safety === "session" ? [] : sessionErrors)
    ])
  )
}

// An endpoint: a function that carries its declaration, and makes the rest at first use.

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
