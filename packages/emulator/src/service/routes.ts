/**
 * Compiles the contracts to routes, once. A route maps a method and a path to an operation, with the decoders of the
 * request and the encoder of the answer.
 */
import * as Declaration from "@effect-custody/core/unstable/Declaration"
import * as Operation from "@effect-custody/core/unstable/Operation"
import type { Inverse } from "@effect-custody/core/unstable/Wires"
import type { ServiceContract } from "@effect-custody/contract/ServiceContract"
import * as FindMyWay from "effect/http/FindMyWay"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { type Answer, validationCode } from "../http/answer.ts"
import type { Call, Category } from "../categories/category.ts"
import { makeDecoder, type Fields } from "../http/validation.ts"

type Decoder = (input: unknown) => Result.Result<unknown, Fields>

export interface Route {
  readonly declaration: Declaration.Declaration
  /** The method and path of the wire in force. */
  readonly place: Declaration.Route
  readonly validationCode: string
  readonly params: Decoder
  readonly query: Decoder
  readonly payload: Decoder | undefined
  readonly handler: (call: Call<any>) => Answer<unknown>
  /** The service's side of the wire in force. */
  readonly wire: Inverse
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

const makeRoute = (category: Category, declaration: Declaration.Declaration, contract: ServiceContract): Route => {
  const { isMultipart, operation } = declaration
  const { params, payload, query } = Declaration.codecs(declaration)
  const { inverse, route } = contract.wire(declaration) ?? Operation.codec(declaration as Operation.Any).wire
  const encode = Schema.encodeUnknownResult(
    Schema.toCodecJson(Declaration.envelope(declaration)) as unknown as Schema.Codec<
      unknown,
      Readonly<Record<string, unknown>>
    >,
    { onExcessProperty: "error" }
  )
  return {
    declaration,
    place: route,
    validationCode: category.validationCodes.get(operation) ?? validationCode,
    params: params === undefined ? nothing : makeDecoder(params),
    // A repeatable parameter that occurs once arrives as a single value, although its schema is an array.
    query: query === undefined ? nothing : makeDecoder(Schema.toCodecArrayFromSingle(query)),
    payload: payload === undefined ? undefined : (isMultipart ? multipartDecoder : makeDecoder)(payload),
    handler: category.handlers.get(operation)!,
    wire: inverse,
    encode: (envelope) => Result.getOrThrow(encode(envelope))
  }
}

/** Replaces parameter names in a path by positions, because operations that share a path may use different names. */
const positional = (path: string): string => {
  let parameters = 0
  return path.replace(/:\w+/g, () => `:p${parameters++}`)
}

/** The operations with the same method and path. A contract may give several operations one path. */
export type Routes = ReadonlyArray<Route>

/** Gives the path parameters the names that the operation uses. */
export const nameParameters = (
  { place }: Route,
  found: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Declaration.pathParameters(place.path).map((name, index) => [name, found[`p${index}`]]))

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
  for (const category of categories) {
    for (const declaration of category.endpoints) {
      const route = makeRoute(category, declaration, contract)
      const { method, path } = route.place
      const at = `${method} ${positional(path)}`
      const others = routes.get(at)
      if (others === undefined) {
        const all = [route]
        routes.set(at, all)
        router.on(method, `${basePath}${positional(path)}` as FindMyWay.PathInput, all)
      } else others.push(route)
    }
  }
  return router
}
