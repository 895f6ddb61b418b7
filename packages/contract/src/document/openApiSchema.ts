/** JSON schemas of the values that a contract converts, for an OpenAPI document. Pure. */
import type { Defaults, OriginFields } from "../language/ContractFile.ts"
import type { Leaf, RecordShape, Shape } from "@effect-custody/core/unstable/Shape"
import * as Path from "../plan/path.ts"
import * as Record from "../plan/record.ts"
import * as Values from "../plan/values.ts"

/** Any JSON schema, or another object of the document. */
export interface Json {
  readonly [name: string]: any
}

type Direction = "request" | "response"

/** Adds a schema to `node`, at a path. Each missing object along the path starts as `container`. */
export const placeSchema = (
  node: Json,
  [segment, ...rest]: Path.Segments,
  schema: Json,
  isRequired: boolean,
  container: Json = {}
): Json => {
  if (segment === undefined) return { ...node, ...schema }
  const within = (inner: Json | undefined) =>
    placeSchema(inner ?? (rest.length === 0 ? {} : container), rest, schema, isRequired, container)
  if (Path.isIndex(segment)) {
    return { ...node, type: "array", items: within(node["items"]), ...(isRequired ? { minItems: 1 } : {}) }
  }
  const { properties = {}, required = [] } = node
  return {
    ...node,
    type: "object",
    properties: {
      ...properties,
      [segment]: within(Object.hasOwn(properties, segment) ? properties[segment] : undefined)
    },
    ...(isRequired ? { required: [...new Set([...required, segment])] } : {})
  }
}

/** The schema of the service's values. With `isOpen`, it allows unlisted values too: they are sent unchanged. */
const translatedSchema = (values: Values.Values, isOpen: boolean, direction: Direction): Json => {
  const all = Object.values(values).map(Values.toList)
  const listed = [...new Set(direction === "request" ? all.map(([first]) => first) : all.flat())]
  if (!isOpen) return { enum: listed }
  return {
    ...(listed.every((each) => typeof each === "string") ? { type: "string" } : {}),
    description: `Known: ${listed.join(", ")}. Others may come, and are kept.`
  }
}

/**
 * The schema of a value with a wire type. In an answer, an id of the type `number` may also be a string, because the
 * caller may have chosen the id.
 */
const typedSchema = (schema: Json, type: Values.WireType | undefined, { kind }: Leaf, direction: Direction): Json => {
  if (type === undefined || type === "string" || type === "iso") return schema
  const title = schema["title"] === undefined ? {} : { title: schema["title"] }
  const isRequest = direction === "request"
  const unsigned = isRequest ? { minimum: 0 } : {}
  if (typeof type === "object") {
    const unit =
      typeof type.minor === "number" ? `units of 10^-${type.minor}` : `the smallest unit, by ${type.minor.by}`
    return { type: "integer", ...unsigned, description: `A whole number of ${unit}` }
  }
  if (type === "number") {
    if (kind !== "id") return { ...title, type: "number", ...(kind === "amount" ? unsigned : {}) }
    return { ...title, ...(isRequest ? { type: "integer", minimum: 0 } : { type: ["integer", "string"] }) }
  }
  return { type: isRequest ? "integer" : "number", description: `${type} since the Unix epoch` }
}

const valueSchema = (
  schema: Json,
  shape: Shape,
  entry: OriginFields,
  defaults: Defaults,
  direction: Direction
): Json => {
  switch (shape._tag) {
    case "List":
      return { ...schema, items: valueSchema(schema["items"], shape.item, entry, defaults, direction) }
    case "Record":
      return direction === "request" ? schema : recordSchema(schema, shape, entry.fields ?? {}, defaults)
    case "Leaf": {
      const values = Values.findMap(entry, defaults)
      return values === undefined
        ? typedSchema(schema, entry.as ?? Values.defaultType(shape.kind, defaults), shape, direction)
        : translatedSchema(values, entry.open === true, direction)
    }
  }
}

const recordSchema = (schema: Json, shape: RecordShape, origins: Record.Origins, defaults: Defaults): Json => {
  const { properties = {}, required = [], ...rest } = schema
  let record: Json = rest
  for (const [name, field] of shape.fields) {
    if (!Object.hasOwn(properties, name)) continue
    const origin = Record.originFields(name, origins)
    const path = Record.fieldPath(name, origin, defaults.casing)
    record = placeSchema(
      record,
      path,
      valueSchema(properties[name], field, origin, defaults, "response"),
      required.includes(name)
    )
  }
  return record
}

export const inputSchema = (schema: Json, shape: Shape, entry: OriginFields, defaults: Defaults): Json =>
  valueSchema(schema, shape, entry, defaults, "request")

export const payloadSchema = (schema: Json, shape: Shape, origins: Record.Origins, defaults: Defaults): Json =>
  valueSchema(schema, shape, { fields: origins }, defaults, "response")
