/**
 * Reads and writes JSON without losing digits of numbers.
 *
 * Uses JSON.parse with source text access and JSON.rawJSON (ECMAScript 2026; V8 since Node 21). TypeScript's library
 * does not declare them yet.
 */
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"

interface Exact {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => unknown
  readonly rawJSON: (text: string) => object
  readonly isRawJSON: (value: unknown) => boolean
}

const json = JSON as unknown as Exact

/** A number that JSON.stringify writes with exactly this text. */
export const raw = (text: string): object => json.rawJSON(text)

export const isRaw = (value: unknown): boolean => json.isRawJSON(value)

const isZero = (source: string): boolean => /^-?[0.]*(?:[eE]|$)/.test(source)

/** Whether a double equals the decimal in the text that it was read from. */
const isExact = (source: string, value: number): boolean => {
  if (String(value) === source) return true
  if (!Number.isFinite(value)) return false
  // Its exponent may be huge: do not compute with it.
  if (value === 0) return isZero(source)
  return Option.exists(BigDecimal.fromString(source), (written) =>
    BigDecimal.equals(written, BigDecimal.fromNumberUnsafe(value))
  )
}

/** `JSON.parse`, but a number that a double cannot represent becomes its source text. Throws a `SyntaxError`. */
export const parse = (text: string): unknown => {
  try {
    return json.parse(text, (_key, value, { source }) =>
      typeof value === "number" && source !== undefined && !isExact(source, value) ? source : value
    )
  } catch (error) {
    throw error instanceof RangeError ? new SyntaxError("JSON is nested too deeply", { cause: error }) : error
  }
}

/** `JSON.parse`, but every number keeps its source text for JSON.stringify. */
export const parseRaw = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined ? raw(source) : value
  )

const maxDepth = 64

/** Whether a value is nested at most 64 levels deep. */
export const isShallow = (value: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap((inner) => (typeof inner === "object" && inner !== null ? Object.values(inner) : []))
    if (level.length === 0) return true
  }
  return false
}
