/**
 * Compiles the declarations to routes, once. A route maps a method and a path to an operation, with the decoders of the
 * request and the encoder of the answer. The emulator speaks the assumed wire, whatever a contract says of a real service.
 */
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import { fieldName } from "@effect-custody/core/siblings/Wires"
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
  readonly validationCode: string
  readonly params: Decoder
  readonly query: Decoder
  readonly payload: Decoder | undefined
  readonly handler: (call: Call<any>) => Answer<unknown>
  /** Encodes an envelope as declared. Throws if the declaration does not allow the handler's result. */
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

const makeRoute = (category: Category, declaration: Declaration.Declaration): Route => {
  const { isMultipart, operation } = declaration
  const { params, payload, query } = Declaration.codecs(declaration)
  const encode = Schema.encodeUnknownResult(
    Schema.toCodecJson(Declaration.envelope(declaration)) as unknown as Schema.Codec<
      unknown,
      Readonly<Record<string, unknown>>
    >,
    { onExcessProperty: "error" }
  )
  return {
    declaration,
    validationCode: category.validationCodes.get(operation) ?? validationCode,
    params: params === undefined ? nothing : makeDecoder(params),
    // A repeatable parameter that occurs once arrives as a single value, although its schema is an array.
    query: query === undefined ? nothing : makeDecoder(Schema.toCodecArrayFromSingle(query)),
    payload: payload === undefined ? undefined : (isMultipart ? multipartDecoder : makeDecoder)(payload),
    handler: category.handlers.get(operation)!,
    encode: (envelope) => Result.getOrThrow(encode(envelope))
  }
}

/** Replaces parameter names in a path by positions, because operations that share a path may use different names. */
const positional = (path: string): string => {
  let parameters = 0
  return path.replace(/:\w+/g, () => `:p${parameters++}`)
}

/** A request that the service has read. */
export interface ServerRequest {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, unknown>>
  /** The fields of a JSON or multipart body. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Gives the path parameters and the keys of the query the names that the operation uses. */
export const named = ({ declaration }: Route, { body, params, query }: ServerRequest): ServerRequest => ({
  body,
  params: Object.fromEntries(
    Declaration.pathParameters(declaration.route.path).map((name, index) => [name, params[`p${index}`]])
  ),
  query: Object.fromEntries(Object.entries(query).map(([name, value]) => [fieldName(name), value]))
})

/** Builds the router of all categories. */
export const makeRouter = (categories: ReadonlyArray<Category>): FindMyWay.Router<Route> => {
  const router = FindMyWay.make<Route>({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    // Enough for an externalId of 255 characters, because encoding turns each of them into up to nine characters.
    maxParamLength: 4_000
  })
  for (const category of categories) {
    for (const declaration of category.endpoints) {
      const { method, path } = declaration.route
      router.on(method, `${basePath}${positional(path)}` as FindMyWay.PathInput, makeRoute(category, declaration))
    }
  }
  return router
}
