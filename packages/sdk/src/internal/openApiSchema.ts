/** JSON schemas of the OpenAPI document, as other tools read them. Pure. */
import * as Predicate from "effect/Predicate"

/** Any JSON schema. */
export type JsonSchema = Readonly<Record<string, any>>

/** What a schema describes: what a service receives, or what it answers. */
export type Direction = "request" | "response"

const decimal = String.raw`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$`

/** A request never has an exponent, nor a minus. */
const plainDecimal = String.raw`^(?:0|[1-9]\d*)(?:\.\d+)?$`

const isSafeBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

const isDecimal = (schema: unknown): schema is JsonSchema =>
  Predicate.isReadonlyObject(schema) && schema["format"] === "decimal"

/** A schema without what is only true for our decoder, and with what the decoder's schema leaves out. */
const completed = (schema: JsonSchema, direction: Direction): JsonSchema => {
  const entries = Object.entries(schema).filter(([key, value]) => !isSafeBound(key, value))
  const kept = Object.fromEntries(entries)
  if (isDecimal(schema)) return { ...kept, pattern: direction === "request" ? plainDecimal : decimal }
  if (schema["type"] !== "object") return kept
  // Answers may have fields that are not known. An object without known fields may have any.
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

/** A schema and all within it. An amount is always sent as a string, and may come as a number. */
export const rewrite = (schema: unknown, direction: Direction): any => {
  if (Array.isArray(schema)) return schema.map((item) => rewrite(item, direction))
  if (!Predicate.isReadonlyObject(schema)) return schema
  const text = direction === "request" && Array.isArray(schema["anyOf"]) ? schema["anyOf"].find(isDecimal) : undefined
  if (text !== undefined) return completed({ ...text, description: "An exact decimal" }, direction)
  const integer = promisedInteger(schema)
  if (integer !== undefined) return completed(integer, direction)
  const inner = Object.fromEntries(
    // A literal is not a schema.
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "examples" || key === "enum" ? value : rewrite(value, direction)
    ])
  )
  return completed(inner, direction)
}
