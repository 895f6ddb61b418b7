/**
 * Reads the answer to a list: its rows and its counts. Pure.
 *
 * By the specification, `data` is an object. The assumed wire of a list is `data: { items, totalItems, itemsPerPage, … }`.
 * Services of this kind also send `data: [...]` with the counts in a `meta` beside it, so both are read.
 *
 * @stability unstable
 */
import * as Predicate from "effect/Predicate"

/** The rows of a list. `holder` is the object that has the rows under `items`, if there is one. */
export interface Rows {
  readonly rows: unknown
  readonly holder: Readonly<Record<string, unknown>> | undefined
}

export const readRows = (found: unknown): Rows =>
  Predicate.isReadonlyObject(found) && Array.isArray(found["items"])
    ? { rows: found["items"], holder: found }
    : { rows: found, holder: undefined }

export const metaNames = [
  "totalItems",
  "itemsPerPage",
  "totalPages",
  "currentPage",
  "hasPreviousPage",
  "hasNextPage"
] as const

export const isFlag = (name: string): boolean => name.startsWith("has")

/** Reads a flag that a service may send as a string or a number. Returns any other value unchanged. */
export const readFlag = (value: unknown): unknown => {
  if (typeof value !== "string" && typeof value !== "number") return value
  const text = String(value).toLowerCase()
  return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : value
}

const isCount = (value: unknown): boolean =>
  Number.isSafeInteger(typeof value === "string" && value.trim() !== "" ? Number(value) : value)

/** Reads the known counts and flags of an object. Ignores a field whose value makes no sense. */
export const readMeta = (meta: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    metaNames.flatMap((name) => {
      const value = Predicate.hasProperty(meta, name) ? meta[name] : undefined
      const read = isFlag(name) ? readFlag(value) : value
      return (isFlag(name) ? typeof read === "boolean" : isCount(read)) ? [[name, read]] : []
    })
  )
