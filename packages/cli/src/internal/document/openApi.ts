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

/** What a reference resolves to. A circular reference resolves to nothing. */
const resolved = (document: Json, value: unknown, depth = 0): Json => {
  if (!isObject(value)) return {}
  const reference = value["$ref"]
  if (typeof reference !== "string") return value
  return reference.startsWith("#/") && depth < deepest ? resolved(document, at(document, reference), depth + 1) : {}
}

const isNull = (schema: Json): boolean => schema["type"] === "null"

/** A schema with the parts of its `allOf`, and the first of its alternatives that is not null. */
const merged = (document: Json, value: unknown, depth = 0): Json => {
  const schema = resolved(document, value)
  if (depth >= deepest) return schema
  const parts = listOf(schema["allOf"]).map((part) => merged(document, part, depth + 1))
  const alternatives = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]
    .map((part) => merged(document, part, depth + 1))
    .filter((part) => !isNull(part))
  const all = [...parts, ...alternatives.slice(0, 1), schema]
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

/** A schema as fields: one for itself, unless it is the root, and one for each field inside it. */
const fieldsOf = (
  document: Json,
  value: unknown,
  path: string,
  isRequired: boolean,
  depth = 0
): ReadonlyArray<Field> => {
  const schema = merged(document, value)
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
  if (depth >= deepest) return shown
  if (type === "array") return [...shown, ...fieldsOf(document, schema["items"], `${path}[]`, false, depth + 1)]
  const required = listOf(schema["required"])
  return [
    ...shown,
    ...Object.entries(objectAt(schema, "properties")).flatMap(([name, inner]) =>
      fieldsOf(document, inner, joined(path, name), required.includes(name), depth + 1)
    )
  ]
}

/** The first JSON content, or else the first content. */
const contentOf = (value: Json): readonly [contentType: string, schema: unknown] | undefined => {
  const contents = Object.entries(objectAt(value, "content"))
  const [found] = [...contents.filter(([type]) => type.includes("json")), ...contents]
  return found === undefined ? undefined : [found[0], objectAt(found[1])["schema"]]
}

const withColons = (path: string): string =>
  path
    .split("/")
    .map((segment) => (segment.startsWith("{") && segment.endsWith("}") ? `:${segment.slice(1, -1)}` : segment))
    .join("/")

const operationOf = (
  document: Json,
  path: string,
  method: string,
  shared: ReadonlyArray<unknown>,
  value: Json
): ApiOperation => {
  const parameters = [...shared, ...listOf(value["parameters"])].map((parameter) => resolved(document, parameter))
  const content = contentOf(resolved(document, value["requestBody"]))
  const responses = Object.entries(objectAt(value, "responses"))
  const answers = responses.filter(([status]) => status.startsWith("2"))
  const shown = answers
    .map(([, answer]) => contentOf(resolved(document, answer)))
    .find((answer) => answer !== undefined)
  const name = textOf(value["operationId"])
  return {
    name: name === "" ? `${method.toUpperCase()} ${path}` : name,
    method: method.toUpperCase(),
    path: withColons(path),
    place: `paths → ${path} → ${method}`,
    query: parameters
      .filter((parameter) => parameter["in"] === "query")
      .flatMap((parameter) =>
        fieldsOf(document, parameter["schema"], textOf(parameter["name"]), parameter["required"] === true, deepest)
      ),
    body: content === undefined ? [] : fieldsOf(document, content[1], "", false),
    ...(content === undefined ? {} : { contentType: content[0] }),
    success: answers.map(([status]) => Number(status)).filter(Number.isInteger),
    answer: shown === undefined ? [] : fieldsOf(document, shown[1], "", false)
  }
}

/** How the service authenticates, by its security schemes. */
const authenticationOf = (document: Json): ReadonlyArray<string> =>
  Object.values(objectAt(document, "components", "securitySchemes")).map((value) => {
    const scheme = resolved(document, value)
    const { in: place, name, scheme: kind, type } = scheme
    return type === "apiKey" ? `${textOf(place)} ${textOf(name)}` : `${textOf(type)} ${textOf(kind)}`.trim()
  })

export const isOpenApi = (value: Json): boolean => textOf(value["openapi"]).startsWith("3.")

export const read = (document: Json): ApiDocument => {
  const authentication = authenticationOf(document)
  return {
    kind: `OpenAPI ${textOf(document["openapi"])}`,
    title: [textOf(objectAt(document, "info")["title"]), textOf(objectAt(document, "info")["version"])]
      .join(" ")
      .trim(),
    ...(authentication.length === 0 ? {} : { authentication }),
    operations: Object.entries(objectAt(document, "paths")).flatMap(([path, item]) => {
      const shared = listOf(objectAt(item)["parameters"])
      return Object.entries(resolved(document, item))
        .filter(([method]) => methods.includes(method))
        .map(([method, value]) => operationOf(document, path, method, shared, objectAt(value)))
    })
  }
}
