/**
 * Compiles the contracts to routes, once. A route maps a method and a path to an operation, with the decoders of the
 * request and the encoder of the answer.
 */
import type * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as AssetNumbers from "./assetNumbers.ts"
import type { Inverse } from "@effect-custody/core/unstable/Wires"
import type { ServiceContract } from "@effect-custody/contract/ServiceContract"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { type Granted, validationCode } from "../http/answer.ts"
import type { Category } from "../categories/category.ts"
import { makeDecoder, type Fields } from "../http/validation.ts"

type Decoder = (input: unknown) => Result.Result<unknown, Fields>

export interface Route {
  /** The operation, such as `vaults.details`. */
  readonly operation: string
  readonly authenticated: boolean
  readonly writes: boolean
  readonly validationCode: string
  readonly params: Decoder
  readonly query: Decoder
  readonly payload: Decoder | undefined
  readonly multipart: boolean
  readonly handler: Category["handlers"][string]
  /** The HTTP status of a success. */
  readonly status: number
  /** The envelope of a success, not yet encoded. */
  readonly envelope: (granted: Granted<unknown>) => Readonly<Record<string, unknown>>
  /**
   * The inverse of the wire that the contract sets for the operation. A string is the reason why the emulator cannot
   * serve that wire. `undefined`: the contract sets no wire, so the endpoint's own wire applies.
   */
  readonly wire: Inverse | string | undefined
  readonly assetNumbers: AssetNumbers.AssetNumbers
  /** The names of the path's parameters, in order. */
  readonly parameters: ReadonlyArray<string>
  /** Encodes an envelope as the contract declares. Throws if the contract does not allow the handler's result. */
  readonly encode: (envelope: unknown) => Readonly<Record<string, unknown>>
}

/** The path under which every host serves the API. */
export const basePath = "/api/integration"

const nothing: Decoder = (input) =>
  Object.keys(input as object).length === 0
    ? Result.succeed(undefined)
    : Result.fail(Record.map(input as Record<string, unknown>, () => ["should not exist"]))

const isNumber = (text: unknown): text is string => typeof text === "string" && /^-?\d+(?:\.\d+)?$/.test(text)

/** Makes the decoder of a multipart body. The decoder parses numbers, because all fields are text. */
const multipartDecoder = (schema: Schema.Top): Decoder => {
  const encoded = SchemaAST.toEncoded(schema.ast)
  const numbers = new Set(
    SchemaAST.isObjects(encoded)
      ? encoded.propertySignatures.filter(({ type }) => SchemaAST.isNumber(type)).map(({ name }) => name)
      : []
  )
  const decode = makeDecoder(schema)
  return (input) =>
    decode(
      Object.fromEntries(
        Object.entries(input as object).map(([name, value]) => [
          name,
          numbers.has(name) && isNumber(value) ? Number(value) : value
        ])
      )
    )
}

const makeRoute = (
  operation: string,
  category: Category,
  endpoint: HttpApiEndpoint.Top,
  handler: Route["handler"],
  success: readonly [status: number, schema: Schema.Top],
  wire: Route["wire"],
  assetNumbers: AssetNumbers.AssetNumbers,
  path: string
): Route => {
  const { safety } = endpoint as unknown as EndpointSpec.Any
  const [payload] = [...endpoint.payload.values()]
  const [status, schema] = success
  const encode = Schema.encodeUnknownResult(schema as Schema.Codec<unknown, Readonly<Record<string, unknown>>>, {
    onExcessProperty: "error"
  })
  const multipart = payload?.encoding._tag === "Multipart"
  return {
    operation,
    authenticated: safety !== "session",
    writes: safety !== "session" && safety !== "read",
    validationCode: category.validationCodes[endpoint.identifier] ?? validationCode,
    params: endpoint.params === undefined ? nothing : makeDecoder(endpoint.params),
    // A repeatable parameter that occurs once arrives as a single value, although its schema is an array.
    query: endpoint.query === undefined ? nothing : makeDecoder(Schema.toCodecArrayFromSingle(endpoint.query)),
    payload: payload === undefined ? undefined : (multipart ? multipartDecoder : makeDecoder)(payload.schemas[0]),
    multipart,
    handler,
    wire,
    assetNumbers,
    parameters: pathParameters(path),
    status,
    envelope: ({ data, message, meta }) => ({ message, data, ...(meta === undefined ? {} : { meta }), status }),
    encode: (envelope) => Result.getOrThrow(encode(envelope))
  }
}

const parameter = /:(\w+)/g

const pathParameters = (path: string): ReadonlyArray<string> =>
  Array.from(path.matchAll(parameter), ([, name = ""]) => name)

/** Replaces parameter names in a path by positions, because operations that share a path may use different names. */
const positional = (path: string): string => {
  let parameters = 0
  return path.replace(parameter, () => `:p${parameters++}`)
}

/** The operations with the same method and path. A contract may give several operations one path. */
export type Routes = ReadonlyArray<Route>

/** Gives the path parameters the names that the operation uses. */
export const nameParameters = (
  { parameters }: Route,
  found: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(parameters.map((name, index) => [name, found[`p${index}`]]))

/** Builds the router of all categories under a contract. */
export const makeRouter = (
  categories: ReadonlyArray<Category>,
  contract: ServiceContract
): FindMyWay.Router<Routes> => {
  const router = FindMyWay.make<Routes>({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    // Enough for an externalId of 255 characters, because encoding turns each of them into up to nine characters.
    maxParamLength: 4_000
  })
  const routes = new Map<string, Array<Route>>()
  const assetNumbers = AssetNumbers.make(contract)
  for (const category of categories) {
    HttpApi.reflect(HttpApi.make("custody").add(category.group as never), {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group, successes }) => {
        const handler = category.handlers[endpoint.identifier]
        const [success] = [...successes].map(([status, [schema]]) => [status, schema] as const)
        if (handler === undefined || success === undefined) return
        const operation = `${group.identifier}.${endpoint.identifier}`
        const { method, path } = contract.wire(operation)?.route ?? endpoint
        const route = makeRoute(
          operation,
          category,
          endpoint,
          handler,
          success,
          contract.inverse(operation),
          assetNumbers,
          path
        )
        const at = `${method} ${positional(path)}`
        const others = routes.get(at)
        if (others === undefined) {
          const all = [route]
          routes.set(at, all)
          router.on(method, `${basePath}${positional(path)}` as FindMyWay.PathInput, all)
        } else others.push(route)
      }
    })
  }
  return router
}
