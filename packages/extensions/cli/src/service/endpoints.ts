/** The functions of the SDK by operation name, and the decoding of their inputs. */
import * as Amount from "@effect-custody/core/Amount"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import type * as Operation from "@effect-custody/core/siblings/Operation"
import * as Operations from "@effect-custody/sdk/Operations"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The failure of any call. The message says what to do. */
export interface Failure {
  readonly _tag: string
  readonly message: string
}

export interface AnyEndpoint extends Operation.Any {
  (input?: object): Effect.Effect<unknown, Failure, CustodyClient>
}

/** Every function of the API. Each takes one object and declares its safety class. */
export const endpoints = Operations.functions as ReadonlyMap<string, AnyEndpoint>

/** Fields of JSON by name. */
export type Fields = Readonly<Record<string, unknown>>

/** Turns a scalar into text, and a list of scalars into a list of texts. */
const toText = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toText)
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value
}

/** The field names of a part of a request, and the decoder of this part. */
const makePart = (schema: Schema.Top | undefined, convert: (value: unknown) => unknown) => {
  const { ast } = Schema.toEncoded(schema ?? Schema.Struct({}))
  const names = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  const decode = Schema.decodeUnknownResult((schema ?? Schema.Struct({})) as Schema.Codec<object, unknown>, {
    errors: "all"
  })
  const read = (fields: Fields) =>
    decode(
      Object.fromEntries(
        names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, convert(fields[name])])
      )
    )
  return { names, read }
}

/** Decodes the input of an operation from fields of JSON. Fails with what is wrong with them. */
export const decodeInput = (endpoint: AnyEndpoint, fields: Fields): Result.Result<object, string> => {
  const { operation } = endpoint
  const { params, payload, query } = Declaration.codecs(endpoint)
  // Paths and queries carry text only.
  const parts = [makePart(params, toText), makePart(query, toText), makePart(payload, (value) => value)]
  const known = parts.flatMap(({ names }) => names)
  const unknown = Object.keys(fields).filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    const takes = known.length === 0 ? "takes no field" : `takes ${known.join(", ")}`
    return Result.fail(`${operation} has no ${unknown.join(", ")}: it ${takes}`)
  }
  return Result.all(parts.map(({ read }) => read(fields))).pipe(
    Result.map((all) => Object.assign({}, ...all)),
    Result.mapError(({ message }) => message)
  )
}

/** Turns a result into JSON: amounts as decimal strings, times in ISO 8601. Hides secrets. */
export const toJson = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return "<redacted>"
  if (BigDecimal.isBigDecimal(value)) return Schema.is(Amount.Amount)(value) ? Amount.format(value) : String(value)
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Array.isArray(value)) return value.map(toJson)
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toJson(inner)]))
}
