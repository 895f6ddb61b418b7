/** Rewrites the JSON schemas of the OpenAPI document for other tools. Pure. */
import * as Predicate from "effect/Predicate"

/** Any JSON schema. */
export type JsonSchema = Readonly<Record<string, any>>

/** The use of a schema: in a request, or in a response. */
export type Direction = "request" | "response"

const decimal = String.raw`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$`

/** A request never has an exponent or a minus. */
const plainDecimal = String.raw`^(?:0|[1-9]\d*)(?:\.\d+)?$`

const isSafeBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

const isDecimal = (schema: unknown): schema is JsonSchema =>
  Predicate.isReadonlyObject(schema) && schema["format"] === "decimal"

/** Drops the parts of a schema that only our decoder needs, and adds the parts that the decoder's schema lacks. */
const complete = (schema: JsonSchema, direction: Direction): JsonSchema => {
  const entries = Object.entries(schema).filter(([key, value]) => !isSafeBound(key, value))
  const kept = Object.fromEntries(entries)
  if (isDecimal(schema)) return { ...kept, pattern: direction === "request" ? plainDecimal : decimal }
  if (schema["type"] !== "object") return kept
  // An answer may have unknown fields. An object without known fields may have any field.
  const { additionalProperties, propertyNames: _, ...open } = kept
  if (schema["properties"] === undefined) return { ...open, additionalProperties: true }
  return direction === "request" ? { ...open, additionalProperties } : open
}

/**
 * The integer in the schema of a decoder that accepts an integer or any other value: the specification promises the
 * integer.
 */
const promisedInteger = (schema: JsonSchema): JsonSchema | undefined =>
  Array.isArray(schema["anyOf"]) && schema["anyOf"].some((member) => Object.keys(member).length === 0)
    ? schema["anyOf"].find(({ type }) => type === "integer")
    : undefined

/** The fields of a multipart body. A field without a schema is a file. */
export const files = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries<JsonSchema>(schema["properties"]).map(([name, field]) => [
      name,
      Object.keys(field).length === 0 ? { type: "string", format: "binary" } : field
    ])
  )
})

/** Rewrites a schema and the schemas within it. A request sends an amount as a string. An answer may have a number. */
export const rewrite = (schema: unknown, direction: Direction): any => {
  if (Array.isArray(schema)) return schema.map((item) => rewrite(item, direction))
  if (!Predicate.isReadonlyObject(schema)) return schema
  const text = direction === "request" && Array.isArray(schema["anyOf"]) ? schema["anyOf"].find(isDecimal) : undefined
  if (text !== undefined) return complete({ ...text, description: "An exact decimal" }, direction)
  const integer = promisedInteger(schema)
  if (integer !== undefined) return complete(integer, direction)
  const inner = Object.fromEntries(
    // A literal is not a schema.
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "examples" || key === "enum" ? value : rewrite(value, direction)
    ])
  )
  return complete(inner, direction)
}
