/** An API as a document describes it. Our own API is read the same way. */

export interface Field {
  /** Dotted names from the root; `[]` stands for the items of a list. */
  readonly path: string
  readonly type: "string" | "number" | "integer" | "boolean" | "array" | "object" | "unknown"
  readonly format?: string
  readonly isRequired?: boolean
  /** The values that it can have, if the document lists them. */
  readonly values?: ReadonlyArray<string>
}

export interface ApiOperation {
  /** Its name in the document, or its method and path. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly place: string
  readonly query: ReadonlyArray<Field>
  readonly body: ReadonlyArray<Field>
  readonly contentType?: string
  /** The statuses of its successes, as far as they are known. */
  readonly success: ReadonlyArray<number>
  /** The answer of a success; empty where the document shows none. */
  readonly answer: ReadonlyArray<Field>
}

export interface ApiDocument {
  readonly kind: string
  readonly title: string
  /** How it authenticates, such as `header X-ACCESS-TOKEN`, as far as the document says it. */
  readonly authentication: ReadonlyArray<string>
  readonly operations: ReadonlyArray<ApiOperation>
}

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const objectAt = (value: unknown, ...path: ReadonlyArray<string>): Json => {
  const found = path.reduce((part: unknown, key) => (isObject(part) ? part[key] : undefined), value)
  return isObject(found) ? found : {}
}

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const routeOf = ({ method, path }: ApiOperation): string => `${method} ${path}`

export const isParameter = (segment: string): boolean => segment.startsWith(":")

export const mapSegments = (path: string, replace: (segment: string) => string): string =>
  path.split("/").map(replace).join("/")

/** How deep a structure is followed. */
export const deepest = 6

export const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)

/** The fields of a JSON value that serves as an example. No value is kept. */
export const fieldsOfExample = (value: unknown, path = "", depth = 0): ReadonlyArray<Field> => {
  const own = (type: Field["type"]): ReadonlyArray<Field> => (path === "" ? [] : [{ path, type }])
  if (Array.isArray(value)) {
    const items = depth < deepest ? fieldsOfExample(value[0], `${path}[]`, depth + 1) : []
    return [{ path, type: "array" }, ...items]
  }
  if (isObject(value)) {
    const inner = depth < deepest ? Object.entries(value) : []
    return [...own("object"), ...inner.flatMap(([name, each]) => fieldsOfExample(each, joined(path, name), depth + 1))]
  }
  if (typeof value === "number") return own(Number.isInteger(value) ? "integer" : "number")
  if (typeof value === "string" || typeof value === "boolean") return own(typeof value as "string" | "boolean")
  return value === undefined ? [] : own("unknown")
}
