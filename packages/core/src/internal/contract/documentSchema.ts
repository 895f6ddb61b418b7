/** JSON schemas of an OpenAPI document under a contract: what {@link Values} and {@link Record} do to values. Pure. */
import type { Defaults, OriginFields, WireType } from "../../ContractFile.ts"
import * as Path from "./path.ts"
import * as Record from "./record.ts"
import type { Leaf, RecordShape, Shape } from "./shape.ts"
import * as Values from "./values.ts"

/** Any JSON schema, or another object of the document. */
export interface Json {
  readonly [name: string]: any
}

/** What a schema describes: what a service receives, or what it answers. */
type Direction = "request" | "response"

const ownAt = (object: Json | undefined, name: string): Json | undefined =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined

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
  const { properties, required = [] } = node
  return {
    ...node,
    type: "object",
    properties: { ...properties, [segment]: within(ownAt(properties, segment)) },
    ...(isRequired ? { required: [...new Set([...required, segment])] } : {})
  }
}

/** The service's values. Values that are not listed are sent unchanged if the contract says so. */
const translated = ({ open, values = {} }: Pick<OriginFields, "values" | "open">, direction: Direction): Json => {
  const all = Object.values(values).map((each) => [each].flat())
  const listed = [...new Set(direction === "request" ? all.map(([first]) => first) : all.flat())]
  const isText = listed.every((each) => typeof each === "string")
  return open === true
    ? {
        ...(isText ? { type: "string" } : {}),
        description: `Known: ${listed.join(", ")}. Others may come, and are kept.`
      }
    : { enum: listed.filter((each) => each !== undefined) }
}

const minor = (type: Extract<WireType, { readonly minor: unknown }>): string =>
  typeof type.minor === "number"
    ? `A whole number of units of 10^-${type.minor}`
    : `A whole number of the smallest unit, by ${type.minor.by}`

/** The schema of a value with a wire type. An id in an answer may be the caller's own, which is not a number. */
const typed = (schema: Json, type: WireType | undefined, { kind }: Leaf, direction: Direction): Json => {
  if (type === undefined || type === "string" || type === "iso") return schema
  const title = schema["title"] === undefined ? {} : { title: schema["title"] }
  const unsigned = direction === "request" ? { minimum: 0 } : {}
  if (typeof type === "object") return { type: "integer", ...unsigned, description: minor(type) }
  switch (type) {
    case "number":
      if (kind !== "id") return { ...title, type: "number", ...(kind === "amount" ? unsigned : {}) }
      return direction === "request"
        ? { ...title, type: "integer", minimum: 0 }
        : { ...title, anyOf: [{ type: "integer" }, { type: "string" }] }
    case "seconds":
      return { type: "number", description: "Seconds since the Unix epoch", examples: [1_763_629_800] }
    case "milliseconds":
      return { type: "integer", description: "Milliseconds since the Unix epoch", examples: [1_763_629_800_000] }
  }
}

type Said = Pick<OriginFields, "as" | "values" | "open">

/** The schema of a single value, or of each of a list. */
const ofLeaf = (schema: Json, leaf: Leaf, said: Said, defaults: Defaults, direction: Direction): Json =>
  said.values === undefined
    ? typed(schema, said.as ?? Values.typeOf(leaf.kind, defaults), leaf, direction)
    : translated(said, direction)

/** A schema whose leaves and records are changed, or those of each item of a list. */
const mapped = (
  schema: Json,
  shape: Shape,
  ofEach: {
    readonly leaf: (schema: Json, leaf: Leaf) => Json
    readonly record: (schema: Json, record: RecordShape) => Json
  }
): Json => {
  switch (shape._tag) {
    case "Leaf":
      return ofEach.leaf(schema, shape)
    case "List":
      return { ...schema, items: mapped(schema["items"], shape.item, ofEach) }
    case "Record":
      return ofEach.record(schema, shape)
  }
}

/** The schema of a field of the input. */
export const ofInput = (schema: Json, shape: Shape, said: Said, defaults: Defaults): Json =>
  mapped(schema, shape, {
    leaf: (own, leaf) => ofLeaf(own, leaf, said, defaults, "request"),
    record: (own) => own
  })

const ofRecord = (schema: Json, { fields }: RecordShape, said: Record.Said, defaults: Defaults): Json => {
  const { properties, required = [], ...rest } = schema
  const promises: Array<Json> = []
  let record: Json = rest
  for (const [name, shape] of fields) {
    const own = ownAt(properties, name)
    if (own === undefined) continue
    const origin = Record.originOf(name, said)
    const field = ofAnswer(
      own,
      shape,
      { leaf: typeof origin === "object" ? origin : {}, record: Record.inside(origin) },
      defaults
    )
    const { beside, path } = Record.placeOf(name, said, defaults.casing)
    const isRequired = required.includes(name)
    record = placed(record, path, field, isRequired && beside === undefined)
    if (!isRequired || beside === undefined) continue
    record = placed(record, beside, field, false)
    promises.push({ anyOf: [placed({}, path, {}, true), placed({}, beside, {}, true)] })
  }
  return promises.length === 0 ? record : { ...record, allOf: promises }
}

/** The schema of a value in an answer: `said` is what the contract says about its leaves and its records. */
const ofAnswer = (
  schema: Json,
  shape: Shape,
  said: { readonly leaf: Said; readonly record: Record.Said },
  defaults: Defaults
): Json =>
  mapped(schema, shape, {
    leaf: (own, leaf) => ofLeaf(own, leaf, said.leaf, defaults, "response"),
    record: (own, record) => ofRecord(own, record, said.record, defaults)
  })

/** The schema of the payload of an answer. */
export const ofPayload = (schema: Json, shape: Shape, said: Record.Said, defaults: Defaults): Json =>
  ofAnswer(schema, shape, { leaf: {}, record: said }, defaults)
