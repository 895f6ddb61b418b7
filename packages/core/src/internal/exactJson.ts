/**
 * JSON in which no digit is lost: `JSON.parse`, except that a number which a double cannot hold arrives as a string.
 *
 * Rests on JSON.parse's source text access (ECMAScript 2026; V8 since Node 21, and Effect needs 22.19). A runtime without
 * it gets plain `JSON.parse`, that is: rounded numbers. Amounts sent as JSON strings are exact there too.
 */

/** What the reviver is told in its third argument. TypeScript's library does not know of it yet. */
interface ReviverContext {
  /** The text of a primitive as it stood; absent on objects and arrays, and where a reviver changed the value before. */
  readonly source?: string
}

interface JsonWithSource {
  readonly parse: (text: string, reviver: (key: string, value: unknown, context?: ReviverContext) => unknown) => unknown
}

const json: JsonWithSource = JSON

/**
 * Finds every number that a double may not hold: one with 16 or more digits, or with an exponent. Any other has at most
 * 15 significant digits and is within 1e±15, which always survives the way through a double. In valid JSON a number
 * follows one of these characters or begins the text; that a string can look the same costs time, not truth.
 */
const mayLoseDigits = /(?:^|[\s:,[])-?(?:[\d.]{16}|[\d.]{1,15}[eE])/

/** A decimal in one form per value: sign, digits without zeros at either end, and the power of ten of the last digit. */
const canonical = (decimal: string): string => {
  const negative = decimal.startsWith("-")
  const [mantissa = "", exponent = "0"] = decimal.slice(negative ? 1 : 0).split(/[eE]/)
  const [whole = "", fraction = ""] = mantissa.split(".")
  const digits = whole + fraction
  let start = 0
  while (digits[start] === "0") start++
  if (start === digits.length) return "0"
  let end = digits.length
  // A loop, because /0+$/ takes quadratic time on a long run of zeros that is not at the end.
  while (digits[end - 1] === "0") end--
  const power = Number(exponent) - fraction.length + (digits.length - end)
  return `${negative ? "-" : ""}${digits.slice(start, end)}e${power}`
}

/** Whether the shortest decimal form of the double is the number that was written. Infinity never is. */
const isExact = (source: string, value: number): boolean =>
  String(value) === source || (Number.isFinite(value) && canonical(String(value)) === canonical(source))

/**
 * The value of a JSON text, as `JSON.parse` gives it, except that a number whose decimal value is not that of the
 * shortest form of its double (too many digits, overflow, underflow) is a string: its source text.
 *
 * Throws a `SyntaxError`: on text that is not JSON, and, where there are such numbers, on some thousand levels of
 * nesting, for which the runtime's reviver has no stack.
 */
export const parse = (text: string): unknown => {
  if (!mayLoseDigits.test(text)) return JSON.parse(text)
  try {
    return json.parse(text, (_key, value, context) =>
      typeof value === "number" && context?.source !== undefined && !isExact(context.source, value)
        ? context.source
        : value
    )
  } catch (error) {
    throw error instanceof RangeError ? new SyntaxError("JSON is nested too deeply", { cause: error }) : error
  }
}
