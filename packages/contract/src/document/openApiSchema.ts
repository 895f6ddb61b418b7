/** JSON schemas of an OpenAPI document under a contract: what {@link Values} and {@link Record} do to values. Pure. */
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

/** A schema with another one at a path. The objects on the way are made from `container`. */
export const placed = (
  node: Json,
  [segment, ...rest]: Path.Segments,
  schema: Json,
  isRequired: boolean,
  container: Json = {}
): Json => {
  if (segment === undefined) return { ...node, ...schema }
  const within = (inner: Json | undefined) =>
    placed(inner ?? (rest.length === 0 ? {} : container), rest, schema, isRequired, container)
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

/** The service's values. Values that are not listed are sent unchanged if the contract says so. */
const translated = (values: Values.Values, isOpen: boolean, direction: Direction): Json => {
  const all = Object.values(values).map(Values.listOf)
  const listed = [...new Set(direction === "request" ? all.map(([first]) => first) : all.flat())]
  if (!isOpen) return { enum: listed }
  return {
    ...(listed.every((each) => typeof each === "string") ? { type: "string" } : {}),
    description: `Known: ${listed.join(", ")}. Others may come, and are kept.`
  }
}

/** The schema of a value with a wire type. An id in an answer may be the caller's own, which is not a number. */
const typed = (schema: Json, type: Values.WireType | undefined, { kind }: Leaf, direction: Direction): Json => {
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

const ofValue = (schema: Json, shape: Shape, said: OriginFields, defaults: Defaults, direction: Direction): Json => {
  switch (shape._tag) {
    case "List":
      return { ...schema, items: ofValue(schema["items"], shape.item, said, defaults, direction) }
    case "Record":
      return direction === "request" ? schema : ofRecord(schema, shape, said.fields ?? {}, defaults)
    case "Leaf": {
      const values = Values.valuesOf(said, defaults)
      return values === undefined
        ? typed(schema, said.as ?? Values.typeOf(shape.kind, defaults), shape, direction)
        : translated(values, said.open === true, direction)
    }
  }
}

const ofRecord = (schema: Json, shape: RecordShape, origins: Record.Origins, defaults: Defaults): Json => {
  const { properties = {}, required = [], ...rest } = schema
  let record: Json = rest
  for (const [name, field] of shape.fields) {
    if (!Object.hasOwn(properties, name)) continue
    const origin = Record.originOf(name, origins)
    const path = Record.pathOf(name, origin, defaults.casing)
    record = placed(
      record,
      path,
      ofValue(properties[name], field, origin, defaults, "response"),
      required.includes(name)
    )
  }
  return record
}

export const ofInput = (schema: Json, shape: Shape, said: OriginFields, defaults: Defaults): Json =>
  ofValue(schema, shape, said, defaults, "request")

export const ofPayload = (schema: Json, shape: Shape, origins: Record.Origins, defaults: Defaults): Json =>
  ofValue(schema, shape, { fields: origins }, defaults, "response")
