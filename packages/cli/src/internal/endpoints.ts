/** The functions of the sdk by the names of their operations, and what they take. */
import * as Amount from "@effect-custody/core/Amount"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type * as Operation from "@effect-custody/core/unstable/Operation"
import * as Operations from "@effect-custody/testing/Operations"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** How any call fails: with a tag, and a message that says what to do. */
export interface Failure {
  readonly _tag: string
  readonly message: string
}

export interface AnyEndpoint extends Operation.Holder<unknown, unknown> {
  (input?: object): Effect.Effect<unknown, Failure, CustodyClient>
  readonly operation: string
  readonly safety: EndpointSpec.Safety
  readonly contract: EndpointSpec.Any
}

/** Every function of the API: each takes one object, and declares its safety class. */
export const endpoints = Operations.functions as ReadonlyMap<string, AnyEndpoint>

/** Fields by name, as JSON has them. */
export type Fields = Readonly<Record<string, unknown>>

/** A scalar as text; a list of scalars as a list of texts. */
const textOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(textOf)
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value
}

/** A part of a request: the names of its fields on the wire, and how they are read. */
const partOf = (schema: Schema.Top | undefined, write: (value: unknown) => unknown) => {
  const { ast } = Schema.toEncoded(schema ?? Schema.Struct({}))
  const names = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  const decode = Schema.decodeUnknownResult((schema ?? Schema.Struct({})) as Schema.Codec<object, unknown>, {
    errors: "all"
  })
  const read = (given: Fields) =>
    decode(
      Object.fromEntries(names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, write(given[name])]))
    )
  return { names, read }
}

/** The input of an operation from fields of JSON, or what is wrong with them. */
export const inputOf = ({ contract, operation }: AnyEndpoint, given: Fields): Result.Result<object, string> => {
  const { params, payload, query } = EndpointSpec.parts(contract)
  // In a path and a query everything travels as text.
  const parts = [partOf(params, textOf), partOf(query, textOf), partOf(payload?.schema, (value) => value)]
  const known = parts.flatMap(({ names }) => names)
  const unknown = Object.keys(given).filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    const takes = known.length === 0 ? "takes no field" : `takes ${known.join(", ")}`
    return Result.fail(`${operation} has no ${unknown.join(", ")}: it ${takes}`)
  }
  return Result.all(parts.map(({ read }) => read(given))).pipe(
    Result.map((all) => Object.assign({}, ...all)),
    Result.mapError(({ message }) => message)
  )
}

/** A result as JSON: amounts as decimal strings, times in ISO 8601, secrets hidden. */
export const toJson = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return "<redacted>"
  if (BigDecimal.isBigDecimal(value)) return Schema.is(Amount.Amount)(value) ? Amount.format(value) : String(value)
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Array.isArray(value)) return value.map(toJson)
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toJson(inner)]))
}
