/** Describes JSON values without their contents. */

export const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === "object" && u !== null && !Array.isArray(u)

/** The value at the end of a path, or undefined. */
export const at = (u: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), u)

/** The JSON type of a value. */
export const typeName = (u: unknown): string => {
  if (u === undefined) return "missing"
  if (u === null) return "null"
  if (Array.isArray(u)) return "an array"
  if (typeof u === "object") return "an object"
  if (typeof u === "number") return Number.isInteger(u) ? "an integer" : "a number"
  return `a ${typeof u}`
}

const maxLength = 100

/** Quotes a text of the service for a report: one line, without control characters, at most 100 characters. */
export const quoted = (text: string): string => {
  const line = text.slice(0, maxLength + 1).replace(/\p{C}/gu, " ")
  return `"${text.length > maxLength ? `${line.slice(0, maxLength)}…` : line}"`
}
