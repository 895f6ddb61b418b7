/**
 * Reads OpenAPI 3.0 and 3.1. Follows references within the document. A value with any other reference stays unknown.
 */
import {
  type ApiDocument,
  type ApiOperation,
  maxDepth,
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

const lookUp = (document: Json, reference: string): unknown =>
  reference
    .split("/")
    .slice(1)
    .map((segment) => decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((part: unknown, key) => (isObject(part) ? part[key] : undefined), document)

/** Follows a reference up to `maxDepth` times. A circular reference resolves to an empty object. */
const resolved = (document: Json, value: unknown, depth = 0): Json => {
  if (!isObject(value)) return {}
  const reference = value["$ref"]
  if (typeof reference !== "string") return value
  return reference.startsWith("#/") && depth < maxDepth
    ? resolved(document, lookUp(document, reference), depth + 1)
    : {}
}

/** Merges a schema with its `allOf` parts and its first alternative that is not null. Merges each schema once. */
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

const readType = (schema: Json): Field["type"] => {
  const declared = listOf([schema["type"]].flat()).find((type) => type !== "null")
  const known = types.find((type) => type === declared)
  if (known !== undefined) return known
  return Object.keys(objectAt(schema, "properties")).length > 0 ? "object" : "unknown"
}

const readValues = (schema: Json): ReadonlyArray<string> => {
  const values = "const" in schema ? [schema["const"]] : listOf(schema["enum"])
  return values.filter((value) => typeof value === "string" || typeof value === "number").map(String)
}

type Reader = (value: unknown, path?: string, isRequired?: boolean, depth?: number) => ReadonlyArray<Field>

/** Reads the fields of schemas. The root schema is a field only if it is an array. */
const makeReader = (document: Json): Reader => {
  const known = new Map<unknown, readonly [source: Json, schema: Json]>()
  const readSchema = (value: unknown) => {
    const found = known.get(value) ?? ([resolved(document, value), merged(document, value)] as const)
    known.set(value, found)
    return found
  }
  return (root, name = "", isRootRequired = false, from = 0) => {
    /**
     * The schemas already visited. Schemas that refer to one another, or are aliases in YAML, are visited only once.
     */
    const visited = new Set<Json>()
    const readFields = (value: unknown, path: string, isRequired: boolean, depth: number): ReadonlyArray<Field> => {
      const [source, schema] = readSchema(value)
      const type = readType(schema)
      const values = readValues(schema)
      const format = textOf(schema["format"])
      const own: Field = {
        path,
        type,
        ...(isRequired ? { isRequired } : {}),
        ...(format === "" ? {} : { format }),
        ...(values.length === 0 ? {} : { values })
      }
      const listed = path === "" && type !== "array" ? [] : [own]
      if (depth >= maxDepth || visited.has(source)) return listed
      visited.add(source)
      if (type === "array") return [...listed, ...readFields(schema["items"], `${path}[]`, false, depth + 1)]
      const required = listOf(schema["required"])
      return [
        ...listed,
        ...Object.entries(objectAt(schema, "properties")).flatMap(([key, inner]) =>
          readFields(inner, joined(path, key), required.includes(key), depth + 1)
        )
      ]
    }
    return readFields(root, name, isRootRequired, from)
  }
}

const readContent = (document: Json, value: unknown): readonly [contentType: string, schema: unknown] | undefined => {
  const contents = Object.entries(objectAt(resolved(document, value), "content"))
  const [found] = [...contents.filter(([type]) => type.includes("json")), ...contents]
  return found === undefined ? undefined : [found[0], objectAt(found[1])["schema"]]
}

/** Without `explode` in the document, the style stays unknown, because authors rarely know the default. */
const readExplode = ({ explode, style = "form" }: Json): Pick<Field, "explode"> =>
  typeof explode === "boolean" && style === "form" ? { explode } : {}

/** Reads a parameter of the query. An exploded object has no key of its own: its properties are the keys. */
const readQuery = (readFields: Reader, parameter: Json): ReadonlyArray<Field> => {
  const { explode = true, name, required, schema, style = "form" } = parameter
  const own = readFields(schema, textOf(name), required === true, maxDepth)
  const properties = explode === true && style === "form" ? readFields(schema, "", false, maxDepth - 1) : []
  if (own[0]?.type === "object" && properties.length > 0) return properties
  return own.map((field) => (field.type === "array" ? { ...field, ...readExplode(parameter) } : field))
}

const readOperation = (
  document: Json,
  readFields: Reader,
  path: string,
  method: string,
  shared: ReadonlyArray<unknown>,
  value: Json
): ApiOperation => {
  const parameters = [...shared, ...listOf(value["parameters"])].map((parameter) => resolved(document, parameter))
  const content = readContent(document, value["requestBody"])
  const answers = Object.entries(objectAt(value, "responses")).filter(([status]) => status.startsWith("2"))
  const example = answers.map(([, answer]) => readContent(document, answer)).find((answer) => answer !== undefined)
  const name = textOf(value["operationId"])
  return {
    name: name === "" ? `${method.toUpperCase()} ${path}` : name,
    method: method.toUpperCase(),
    path: mapSegments(path, (segment) => segment.replace(/^\{(.*)\}$/, ":$1")),
    place: `paths → ${path} → ${method}`,
    query: parameters
      .filter((parameter) => parameter["in"] === "query")
      .flatMap((parameter) => readQuery(readFields, parameter)),
    body: content === undefined ? [] : readFields(content[1]),
    ...(content === undefined ? {} : { contentType: content[0] }),
    success: answers.map(([status]) => Number(status)).filter(Number.isInteger),
    answer: example === undefined ? [] : readFields(example[1])
  }
}

/** The forms of authentication, from the security schemes. */
const readAuthentication = (document: Json): ReadonlyArray<string> =>
  Object.values(objectAt(document, "components", "securitySchemes")).map((value) => {
    const { in: place, name, scheme, type } = resolved(document, value)
    return type === "apiKey" ? `${textOf(place)} ${textOf(name)}` : `${textOf(type)} ${textOf(scheme)}`.trim()
  })

/** A variable in an address has its default. */
const readServerPath = (value: unknown): string => {
  const { url, variables } = objectAt(value)
  const address = textOf(url).replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const { default: value } = objectAt(variables, name)
    return typeof value === "string" ? value : whole
  })
  return URL.parse(address, "http://localhost")?.pathname.replace(/\/+$/, "") ?? ""
}

export const isOpenApi = (value: Json): boolean => textOf(value["openapi"]).startsWith("3.")

export const read = (document: Json): ApiDocument => {
  const { title, version } = objectAt(document, "info")
  const readFields = makeReader(document)
  return {
    kind: `OpenAPI ${textOf(document["openapi"])}`,
    title: `${textOf(title)} ${textOf(version)}`.trim(),
    authentication: readAuthentication(document),
    serverPaths: [...new Set(listOf(document["servers"]).map(readServerPath))],
    operations: Object.entries(objectAt(document, "paths")).flatMap(([path, item]) => {
      const shared = listOf(objectAt(item)["parameters"])
      return Object.entries(resolved(document, item))
        .filter(([method]) => methods.includes(method))
        .map(([method, value]) => readOperation(document, readFields, path, method, shared, objectAt(value)))
    })
  }
}
