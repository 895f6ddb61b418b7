/** The types of JSON values, in words, without their contents. */

export const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === "object" && u !== null && !Array.isArray(u)

/** The value at the end of a path, or undefined. */
export const at = (u: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), u)

/** The JSON type of a value. */
export const kindOf = (u: unknown): string => {
  if (u === undefined) return "missing"
  if (u === null) return "null"
  if (Array.isArray(u)) return "an array"
  if (typeof u === "object") return "an object"
  if (typeof u === "number") return Number.isInteger(u) ? "an integer" : "a number"
  return `a ${typeof u}`
}

/** Whether a value is nested deeper than this many levels. */
export const isDeeper = (value: unknown, levels: number): boolean => {
  const left: Array<readonly [value: unknown, depth: number]> = [[value, 0]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [outer, depth] = next
    if (typeof outer !== "object" || outer === null) continue
    if (depth === levels) return true
    for (const inner of Object.values(outer)) left.push([inner, depth + 1])
  }
  return false
}

/** How many names, codes or fields of the service a report lists. */
const mostListed = 64

/** What the service gave, as a list: each once, the first ones. */
export const listed = (all: ReadonlyArray<string>, separator = ", "): string => {
  const each = [...new Set(all)]
  const more = each.length - mostListed
  return `${each.slice(0, mostListed).join(separator)}${more > 0 ? ` and ${more} more` : ""}`
}

const longest = 100

/** Text of the service for a report: one line, without control characters, at most 100 characters. */
export const quoted = (text: string): string => {
  const line = text.replace(/\p{C}/gu, " ")
  return `"${line.length > longest ? `${line.slice(0, longest)}…` : line}"`
}
