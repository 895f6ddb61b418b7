/** The parts of a contract for one operation: its own entry over the defaults of the API. Pure. */
import type { Defaults, Differences, Errors, Place } from "../../ContractFile.ts"
import * as Path from "./path.ts"
import type { OperationShape, Part } from "./shape.ts"

/** Where a field of the input goes. */
export type Target =
  | { readonly in: "path" | "query" | "header"; readonly name: string }
  | { readonly in: "body"; readonly path: Path.Segments }

/** A value that is always sent. */
export interface Constant {
  readonly target: Exclude<Target, { readonly in: "path" }>
  readonly value: string | number | boolean
}

/** The names of the parameters of a path. */
export const parametersOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => segment.slice(1))

/** The place of a field: from the entry, or else from the defaults. */
export const placeOf = (name: string, { fields = {} }: Differences, defaults: Defaults): Place => {
  if (Object.hasOwn(fields, name)) return fields[name] ?? {}
  return defaults.fields !== undefined && Object.hasOwn(defaults.fields, name) ? (defaults.fields[name] ?? {}) : {}
}

/** Where a field of the input goes. A string is the name of a parameter, a query key, or a dotted path into the body. */
export const targetOf = (shape: OperationShape, name: string, entry: Differences, defaults: Defaults): Target => {
  const assumed: Part = shape.input.get(name)?.part ?? "body"
  const place = placeOf(name, entry, defaults)
  const given = typeof place === "string" ? { name: place } : place
  const isParameter = parametersOf(entry.path ?? shape.route.path).includes(given.name ?? name)
  const part = given.in ?? (isParameter ? "path" : assumed)
  if (part === "path") return { in: part, name: given.name ?? name }
  const key = given.name ?? Path.cased(name, defaults.casing)
  if (part !== "body") return { in: part, name: key }
  if (typeof place === "string") return { in: "body", path: Path.segmentsOf(place) }
  if (place.at !== undefined) return { in: "body", path: Path.segmentsOf(place.at) }
  // The fields of multipart/form-data are flat.
  const base = shape.body === "Multipart" ? undefined : (entry.body ?? defaults.body)
  return { in: "body", path: [...(base === undefined ? [] : Path.segmentsOf(base)), key] }
}

const constantOf = (key: string, value: Constant["value"]): Constant => {
  const [place = "", ...rest] = key.split(".")
  const name = rest.join(".")
  return place === "body"
    ? { target: { in: "body", path: rest }, value }
    : { target: { in: place === "header" ? "header" : "query", name }, value }
}

/** The values that are always sent with an operation. */
export const constantsOf = (entry: Differences, defaults: Defaults): ReadonlyArray<Constant> =>
  Object.entries({ ...defaults.constants, ...entry.constants }).map(([key, value]) => constantOf(key, value))

export const errorsOf = (entry: Differences, defaults: Defaults): Errors => ({ ...defaults.errors, ...entry.errors })

/** The method and the path, below the base address. */
export const routeOf = (shape: OperationShape, entry: Differences, defaults: Defaults) => ({
  method: entry.method ?? shape.route.method,
  path: `${defaults.prefix ?? ""}${entry.path ?? shape.route.path}`
})
