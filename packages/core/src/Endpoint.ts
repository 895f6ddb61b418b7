/**
 * From a contract to a typed function: what an endpoint takes, what it gives, and how it can fail.
 */
import type * as Brand from "effect/Brand"
import type * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Simplify } from "effect/Types"
import type * as Contract from "./Contract.ts"
import { CustodyClient } from "./CustodyClient.ts"
import * as Request from "./internal/request.ts"
import type { Encoded, EncodedBody, Existing, Operation, Route } from "./Operation.ts"
import type * as Page from "./Page.ts"
import {
  type NotSent,
  type OutcomeUnknown,
  RequestInvalid,
  type TransportError,
  type UnconfirmedEndpoint,
  type UnexpectedResponse
} from "./SdkError.ts"
import type { SessionError } from "./SessionError.ts"

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

/** A function of the API, with what is known of its endpoint. */
export interface Endpoint<
  I,
  out A,
  out E,
  P extends Contract.Provenance = Contract.Provenance,
  S extends Contract.Safety = Contract.Safety
> extends Operation<A, E> {
  (...input: Arguments<I>): Effect.Effect<A, E, CustodyClient>
  readonly contract: Contract.Any
  readonly provenance: P
  readonly safety: S
}

/** The function of a contract. What it takes is spelt out, for the sake of whoever looks at it in an editor. */
type Of<C extends Contract.Any, A> = Endpoint<
  { [K in keyof Input<C>]: Input<C>[K] },
  A,
  Failure<C>,
  C["provenance"],
  C["safety"]
>

const namesOf = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema !== undefined && SchemaAST.isObjects(schema.ast)
    ? schema.ast.propertySignatures.map((signature) => String(signature.name))
    : []

const picked = (input: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): Record<string, unknown> =>
  Object.fromEntries(
    names.filter((name) => Object.hasOwn(input, name) && input[name] !== undefined).map((name) => [name, input[name]])
  )

/** Whether a path parameter names one thing: not the collection or what is above it, and spelt in characters. */
const namesOne = (segment: string): boolean => !["", ".", ".."].includes(segment) && segment.isWellFormed()

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const issuesOf = (error: Schema.SchemaError): RequestInvalid["issues"] =>
  formatter(error.issue).issues.map(({ message, path }) => ({
    path: (path ?? []).map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : String(key)
    }),
    message
  }))

/** Encodes one part of an input; nothing where the contract has no such part. */
const encoderOf = (schema: Schema.Top | undefined) => {
  const names = namesOf(schema)
  if (schema === undefined) return { names, encode: () => Result.succeed({}) }
  const encode = Schema.encodeUnknownResult(schema as Schema.Codec<unknown, unknown>, { errors: "all" })
  return {
    names,
    encode: (input: Readonly<Record<string, unknown>>) =>
      Result.map(encode(picked(input, names)), (encoded) => encoded as Readonly<Record<string, unknown>>)
  }
}

const payloadOf = (envelope: any) => envelope.data

/** One read for each thing that an input names. */
const existingOf = <A>(
  group: HttpApiGroup.Constraint,
  { by, operation: name }: Contract.Existing
): ((input: unknown) => Existing<A>) => {
  const operation = operationOf<Contract.Any, unknown>(
    group,
    contractOf(group, name.slice(name.indexOf(".") + 1)),
    payloadOf
  )
  const fields = Object.entries(by)
  return (input) => {
    const given = input as Readonly<Record<string, unknown>>
    const several = fields.find(([, from]) => Array.isArray(given[from]))
    const named = several === undefined ? [undefined] : (given[several[1]] as ReadonlyArray<unknown>)
    return {
      operation,
      inputs: named.map((value) =>
        Object.fromEntries(fields.map(([name, from]) => [name, name === several?.[0] ? value : given[from]]))
      ),
      payload: (found) => (several === undefined ? found[0] : found) as A
    }
  }
}

const operationOf = <C extends Contract.Any, A>(
  group: HttpApiGroup.Constraint,
  declared: C,
  open: (envelope: any) => A
): Operation<A, Failure<C>> => {
  const contract = declared as unknown as HttpApiEndpoint.Top &
    Contract.Declaration<Contract.Provenance, Contract.Safety>
  const operation = `${group.identifier}.${contract.identifier}`
  const route: Route = { method: contract.method, path: contract.path }
  const [payload] = [...contract.payload.values()]
  const payloadSchema = payload?.schemas[0]
  const params = encoderOf(contract.params)
  const query = encoderOf(contract.query)
  const body = encoderOf(payloadSchema)
  const known = new Set([...params.names, ...query.names, ...body.names])
  const decode = Schema.decodeUnknownResult([...contract.success][0] as Schema.Codec<unknown, unknown>)

  const bodyOf = (fields: Readonly<Record<string, unknown>>): EncodedBody => {
    if (payload === undefined) return { _tag: "None" }
    return { _tag: payload.encoding._tag === "Multipart" ? "Multipart" : "Json", fields }
  }
  const invalid = (issues: RequestInvalid["issues"]) => Result.fail(new RequestInvalid({ operation, issues }))

  return {
    operation,
    route,
    provenance: contract.provenance,
    safety: contract.safety,
    section: contract.section,
    lookUp: contract.lookUp,
    existing: contract.existing === undefined ? undefined : existingOf(group, contract.existing),
    declared: new Set([...contract.error].map((error) => String(SchemaAST.resolveAt("custodyError")(error.ast)))),
    encode: (given) => {
      const input = given ?? {}
      if (typeof input !== "object") return invalid([{ path: [], message: "Expected an object" }])
      const fields = input as Readonly<Record<string, unknown>>
      const unknown = Object.keys(fields).filter((name) => !known.has(name))
      if (unknown.length > 0) {
        return invalid(unknown.map((name) => ({ path: [name], message: "is not a field of this endpoint" })))
      }
      const encoded = Result.all({
        params: params.encode(fields),
        query: query.encode(fields),
        body: Result.map(body.encode(fields), bodyOf)
      })
      if (Result.isFailure(encoded)) return invalid(issuesOf(encoded.failure))
      const misleading = Object.entries(encoded.success.params).filter(([, value]) => !namesOne(String(value)))
      if (misleading.length > 0) {
        return invalid(misleading.map(([name]) => ({ path: [name], message: "cannot be a segment of a path" })))
      }
      return Result.succeed(encoded.success as Encoded)
    },
    toRequest: (encoded, differences) => Request.make(route, encoded, differences),
    decode: (envelope) => Result.mapBoth(decode(envelope), { onSuccess: open, onFailure: (error) => error.message })
  }
}

type Endpoints<G extends HttpApiGroup.Constraint> = G["endpoints"]

const define = <C extends Contract.Any, A>(
  group: HttpApiGroup.Constraint,
  contract: C,
  open: (envelope: any) => A
): Operation<A, Failure<C>> => {
  const operation = operationOf(group, contract, open)
  const call = (input?: unknown) => CustodyClient.use((client) => client.call(operation, input))
  return Object.assign(call, operation, { contract })
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
  define(group, contractOf(group, name), payloadOf) as never

/** The function of a list endpoint: one page per call. */
export const list = <G extends HttpApiGroup.Constraint, N extends keyof Endpoints<G> & string>(
  group: G,
  name: N
): Endpoints<G>[N] extends infer C extends Contract.Any ? Of<C, Page.Page<Item<Payload<C>>>> : never =>
  define(group, contractOf(group, name), (envelope) => ({
    items: envelope.data,
    meta: envelope.meta
  })) as never

type Item<A> = A extends ReadonlyArray<infer I> ? I : never

const contractOf = (group: HttpApiGroup.Constraint, name: string): Contract.Any =>
  group.endpoints[name] as unknown as Contract.Any
