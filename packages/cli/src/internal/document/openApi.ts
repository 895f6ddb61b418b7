/** Reads OpenAPI 3.0 and 3.1. References within the document are followed; others stay unknown. */
import {
  type ApiDocument,
  type ApiOperation,
  deepest,
  type Field,
  isObject,
  joined,
  type Json,
  listOf,
  mapSegments,
  objectAt,
  textOf
} from "./model.ts"

const methods = ["get", "post", "put", "patch", "delete"]

const at = (document: Json, reference: string): unknown =>
  reference
    .split("/")
    .slice(1)
    .map((segment) => decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((part: unknown, key) => (isObject(part) ? part[key] : undefined), document)

/** A circular reference resolves to nothing. */
const resolved = (document: Json, value: unknown, depth = 0): Json => {
  if (!isObject(value)) return {}
  const reference = value["$ref"]
  if (typeof reference !== "string") return value
  return reference.startsWith("#/") && depth < deepest ? resolved(document, at(document, reference), depth + 1) : {}
}

/** A schema with the parts of its `allOf`, and the first of its alternatives that is not null. Each is merged once. */
const merged = (document: Json, value: unknown, known = new Set<Json>()): Json => {
  const schema = resolved(document, value)
  if (known.has(schema)) return {}
  known.add(schema)
  const parts = listOf(schema["allOf"]).map((part) => merged(document, part, known))
  const alternative = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])].find(
    (part) => resolved(document, part)["type"] !== "null"
  )
  const all = [...parts, ...(alternative === undefined ? [] : [merged(document, alternative, known)]), schema]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => objectAt(part, "properties"))),
    required: all.flatMap((part) => listOf(part["required"]))
  }
}

const types = ["string", "number", "integer", "boolean", "array", "object"] as const

const typeOf = (schema: Json): Field["type"] => {
  const said = listOf([schema["type"]].flat()).find((type) => type !== "null")
  const known = types.find((type) => type === said)
  if (known !== undefined) return known
  return Object.keys(objectAt(schema, "properties")).length > 0 ? "object" : "unknown"
}

const valuesOf = (schema: Json): ReadonlyArray<string> => {
  const values = "const" in schema ? [schema["const"]] : listOf(schema["enum"])
  return values.filter((value) => typeof value === "string" || typeof value === "number").map(String)
}

type Reader = (value: unknown, path?: string, isRequired?: boolean, depth?: number) => ReadonlyArray<Field>

/** Reads schemas as fields: one for the schema itself, unless it is the root, and one for each field inside it. */
const fieldReader = (document: Json): Reader => {
  const known = new Map<unknown, readonly [source: Json, schema: Json]>()
  const schemaOf = (value: unknown) => {
    const found = known.get(value) ?? ([resolved(document, value), merged(document, value)] as const)
    known.set(value, found)
    return found
  }
  return (root, name = "", isRootRequired = false, from = 0) => {
    /** Schemas that refer to one another, or are aliases in YAML, are walked once. */
    const walked = new Set<Json>()
    const fieldsOf = (value: unknown, path: string, isRequired: boolean, depth: number): ReadonlyArray<Field> => {
      const [source, schema] = schemaOf(value)
      const type = typeOf(schema)
      const values = valuesOf(schema)
      const format = textOf(schema["format"])
      const own: Field = {
        path,
        type,
        ...(isRequired ? { isRequired } : {}),
        ...(format === "" ? {} : { format }),
        ...(values.length === 0 ? {} : { values })
      }
      const shown = path === "" && type !== "array" ? [] : [own]
      if (depth >= deepest || walked.has(source)) return shown
      walked.add(source)
      if (type === "array") return [...shown, ...fieldsOf(schema["items"], `${path}[]`, false, depth + 1)]
      const required = listOf(schema["required"])
      return [
        ...shown,
        ...Object.entries(objectAt(schema, "properties")).flatMap(([key, inner]) =>
          fieldsOf(inner, joined(path, key), required.includes(key), depth + 1)
        )
      ]
    }
    return fieldsOf(root, name, isRootRequired, from)
  }
}

const contentOf = (document: Json, value: unknown): readonly [contentType: string, schema: unknown] | undefined => {
  const contents = Object.entries(objectAt(resolved(document, value), "content"))
  const [found] = [...contents.filter(([type]) => type.includes("json")), ...contents]
  return found === undefined ? undefined : [found[0], objectAt(found[1])["schema"]]
}

const operationOf = (
  document: Json,
  fieldsOf: Reader,
  path: string,
  method: string,
  shared: ReadonlyArray<unknown>,
  value: Json
): ApiOperation => {
  const parameters = [...shared, ...listOf(value["parameters"])].map((parameter) => resolved(document, parameter))
  const content = contentOf(document, value["requestBody"])
  const answers = Object.entries(objectAt(value, "responses")).filter(([status]) => status.startsWith("2"))
  const shown = answers.map(([, answer]) => contentOf(document, answer)).find((answer) => answer !== undefined)
  const name = textOf(value["operationId"])
  return {
    name: name === "" ? `${method.toUpperCase()} ${path}` : name,
    method: method.toUpperCase(),
    path: mapSegments(path, (segment) => segment.replace(/^\{(.*)\}$/, ":$1")),
    place: `paths → ${path} → ${method}`,
    query: parameters
      .filter((parameter) => parameter["in"] === "query")
      .flatMap((parameter) =>
        fieldsOf(parameter["schema"], textOf(parameter["name"]), parameter["required"] === true, deepest)
      ),
    body: content === undefined ? [] : fieldsOf(content[1]),
    ...(content === undefined ? {} : { contentType: content[0] }),
    success: answers.map(([status]) => Number(status)).filter(Number.isInteger),
    answer: shown === undefined ? [] : fieldsOf(shown[1])
  }
}

/** How the service authenticates, by its security schemes. */
const authenticationOf = (document: Json): ReadonlyArray<string> =>
  Object.values(objectAt(document, "components", "securitySchemes")).map((value) => {
    const { in: place, name, scheme, type } = resolved(document, value)
    return type === "apiKey" ? `${textOf(place)} ${textOf(name)}` : `${textOf(type)} ${textOf(scheme)}`.trim()
  })

export const isOpenApi = (value: Json): boolean => textOf(value["openapi"]).startsWith("3.")

export const read = (document: Json): ApiDocument => {
  const { title, version } = objectAt(document, "info")
  const fieldsOf = fieldReader(document)
  return {
    kind: `OpenAPI ${textOf(document["openapi"])}`,
    title: `${textOf(title)} ${textOf(version)}`.trim(),
    authentication: authenticationOf(document),
    operations: Object.entries(objectAt(document, "paths")).flatMap(([path, item]) => {
      const shared = listOf(objectAt(item)["parameters"])
      return Object.entries(resolved(document, item))
        .filter(([method]) => methods.includes(method))
        .map(([method, value]) => operationOf(document, fieldsOf, path, method, shared, objectAt(value)))
    })
  }
}
