/**
 * A service with its own wire: a front, written by hand, that translates its requests to the assumed wire and the answers
 * back. It shares no code with the SDK.
 */

/** A request below the base address. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** An answer, with or without a body. */
export interface Answered {
  readonly status: number
  readonly type?: string
  readonly body?: unknown
}

type Json = Readonly<Record<string, unknown>>

/** An answer of the assumed wire. */
export interface Assumed {
  readonly status: number
  readonly body: Json
}

export interface Dialect {
  readonly name: string
  /** Translates a request to the assumed wire. `undefined` if the service has no such endpoint. */
  readonly toAssumed: (asked: Asked) => Asked | undefined
  readonly toTheirs: (asked: Asked, answer: Assumed) => Answered
}

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const jsonOf = (body: Buffer): Json => {
  const value: unknown = body.length === 0 ? {} : JSON.parse(body.toString())
  return isObject(value) ? value : {}
}

export const isMultipart = ({ headers }: Asked): boolean =>
  (headers["content-type"] ?? "").startsWith("multipart/form-data")

/** Renames the fields of a multipart body. */
export const renamedParts = (body: Buffer, rename: (name: string) => string): Buffer =>
  Buffer.from(
    body
      .toString("latin1")
      .replaceAll(/(Content-Disposition: form-data; name=")([^"]*)"/g, (_, before: string, name: string) => {
        return `${before}${rename(name)}"`
      }),
    "latin1"
  )

export const withJson = (asked: Asked, fields: Json): Asked => ({
  ...asked,
  headers: { ...asked.headers, "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(fields))
})

export const mapKeys = (object: Json, rename: (name: string) => string): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]))

/** Renames the keys of all records, except below `metadata`, whose keys belong to the caller. */
export const renamedDeep = (value: unknown, rename: (name: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((each) => renamedDeep(each, rename))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      rename(name),
      name === "metadata" ? inner : renamedDeep(inner, rename)
    ])
  )
}

/** Converts a whole number of units to a decimal. */
export const decimalOf = (units: string, digits: number): string => {
  const padded = units.padStart(digits + 1, "0")
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`
}

/** Converts a decimal to a whole number of units, if it is one. */
export const unitsOf = (amount: string, digits: number): string | undefined => {
  const [whole = "0", fraction = ""] = amount.split(".")
  const units = whole + fraction.slice(0, digits).padEnd(digits, "0")
  return /^0*$/.test(fraction.slice(digits)) ? units.replace(/^0+(?=.)/, "") : undefined
}

export const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Renames back. `sort_key` stays unchanged. */
export const camel = (name: string): string =>
  name === "sort_key" ? name : name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
