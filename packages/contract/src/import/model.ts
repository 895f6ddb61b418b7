/** The API that a document describes. Our own API is read into this model too. */
import { isReadonlyObject as isObject } from "effect/Predicate"

export { isObject }

export interface Field {
  /** Dotted names from the root; `[]` after a name denotes the items of a list. */
  readonly path: string
  readonly type: "string" | "number" | "integer" | "boolean" | "array" | "object" | "unknown"
  readonly format?: string
  readonly isRequired?: boolean
  /** The allowed values, if the document lists them. */
  readonly values?: ReadonlyArray<string>
  /** For a list in a query: `true` if the key is repeated, `false` if commas join the values. Absent if unknown. */
  readonly explode?: boolean
}

export interface ApiOperation {
  /** The name in the document, or the method and path if it has no name. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly place: string
  readonly query: ReadonlyArray<Field>
  readonly body: ReadonlyArray<Field>
  readonly contentType?: string
  /** The success statuses that the document lists. */
  readonly success: ReadonlyArray<number>
  /** The fields of a successful answer; empty if the document shows none. */
  readonly answer: ReadonlyArray<Field>
}

export interface ApiDocument {
  readonly kind: string
  readonly title: string
  /** The forms of authentication that the document lists, such as `header X-ACCESS-TOKEN`. */
  readonly authentication: ReadonlyArray<string>
  /** The different paths of the servers' addresses, such as `/v2`. */
  readonly serverPaths: ReadonlyArray<string>
  readonly operations: ReadonlyArray<ApiOperation>
}

export type Json = Readonly<Record<string, unknown>>

export const objectAt = (value: unknown, ...path: ReadonlyArray<string>): Json => {
  const found = path.reduce((part: unknown, key) => (isObject(part) ? part[key] : undefined), value)
  return isObject(found) ? found : {}
}

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const formatRoute = ({ method, path }: ApiOperation): string => `${method} ${path}`

export const isParameter = (segment: string): boolean => segment.startsWith(":")

export const mapSegments = (path: string, replace: (segment: string) => string): string =>
  path.split("/").map(replace).join("/")

/** The maximum depth to which the reader follows nested structures. */
export const maxDepth = 6

export const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)

/** Reads the names and types of the fields of a JSON example, without the values. */
export const fieldsOfExample = (value: unknown, path = "", depth = 0): ReadonlyArray<Field> => {
  const own = (type: Field["type"]): ReadonlyArray<Field> => (path === "" ? [] : [{ path, type }])
  if (Array.isArray(value)) {
    const items = depth < maxDepth ? fieldsOfExample(value[0], `${path}[]`, depth + 1) : []
    return [{ path, type: "array" }, ...items]
  }
  if (isObject(value)) {
    const inner = depth < maxDepth ? Object.entries(value) : []
    return [...own("object"), ...inner.flatMap(([name, each]) => fieldsOfExample(each, joined(path, name), depth + 1))]
  }
  if (typeof value === "number") return own(Number.isInteger(value) ? "integer" : "number")
  if (typeof value === "string" || typeof value === "boolean") return own(typeof value as "string" | "boolean")
  return value === undefined ? [] : own("unknown")
}
