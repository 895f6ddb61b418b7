/** What an answer says about a list: its rows, its counts, and where it continues. Pure. */
import * as Predicate from "effect/Predicate"

/** The rows of a list, and the object around them if they are its `items`. */
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

/** A flag, as a service may write it; any other value stays as it is. */
export const readFlag = (value: unknown): unknown => {
  if (typeof value !== "string" && typeof value !== "number") return value
  const text = String(value).toLowerCase()
  return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : value
}

const isCount = (value: unknown): boolean =>
  Number.isSafeInteger(typeof value === "string" && value.trim() !== "" ? Number(value) : value)

/** The fields of a `meta` that can be understood. Other fields are ignored. */
export const understood = (meta: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    metaNames.flatMap((name) => {
      const value = Predicate.hasProperty(meta, name) ? meta[name] : undefined
      const read = isFlag(name) ? readFlag(value) : value
      return (isFlag(name) ? typeof read === "boolean" : isCount(read)) ? [[name, read]] : []
    })
  )

/** The key in our envelope of a list that holds the next cursor. It is a symbol, which no JSON answer can contain. */
export const nextCursor: unique symbol = Symbol.for("@effect-custody/core/nextCursor")

/**
 * An envelope that may say how to read on. `null`: another page follows, and the service does not say where it is;
 * `false`: the service pages by cursor, and no page follows.
 */
export interface Continued {
  readonly [nextCursor]?: string | null | false
}

export const isCutOff = (page: object): boolean => (page as Continued)[nextCursor] === null

export const isEnd = (page: object): boolean => (page as Continued)[nextCursor] === false

/** The decoded envelope with the next cursor, which the schemas do not know. */
export const continued = (sent: unknown, decoded: unknown): unknown =>
  typeof sent === "object" && sent !== null && nextCursor in sent
    ? { ...(decoded as object), [nextCursor]: sent[nextCursor] }
    : decoded
