/**
 * Reads and writes JSON without losing a digit. Reading puts quotes around each number that a double cannot hold, so
 * that `JSON.parse` returns the number as a string. A reviver that gets the source text of each number would do without
 * the scan, but takes four times as long for a list of 100 rows, and cannot refuse a text before it is built. Also reads
 * a value at a path, and the object in a text that breaks off. `hash` does not depend on the order in which the keys of an
 * object were set.
 *
 * @siblings `contract`, `emulator` and `cli` read JSON as the client does, and `ledger` hashes its rows.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/**
 * The limits of a text: its depth, the keys of all its objects, and its values. A text beyond a limit could exhaust the
 * stack or the memory.
 */
const maxDepth = 512
const maxKeys = 100_000
const maxValues = 200_000

/**
 * V8 optimizes a pattern for the second text that it searches. If this is a list of numbers, the pattern takes three times
 * as long for a usual answer. So it searches a usual answer first.
 */
const primed = (pattern: RegExp): RegExp => {
  const usual = '"status":"COMPLETED","createdAt":"2026-11-20T09:00:00.000Z",'
  for (const text of [usual, usual]) pattern.test(text)
  return pattern
}

/**
 * Finds a number that a double may not hold: 16 or more digits, or an exponent. The pattern may also match inside a
 * string. Then parsing takes longer, but the result is the same.
 */
const longInside = primed(/[ \n\r\t:,[]-?\d(?:[\d.]{15}|[\d.]{0,14}[eE])/)
const longAtStart = /^-?\d(?:[\d.]{15}|[\d.]{0,14}[eE])/
// Two patterns, because one pattern with an alternation takes twice the time.
const mayLoseDigits = (text: string): boolean => longInside.test(text) || longAtStart.test(text)

/** `JSON.rawJSON`, which TypeScript does not declare yet: a number that `JSON.stringify` writes with exactly this text. */
export const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => object }

/** A number according to RFC 8259, section 6: no leading `+`, no leading zeros, a digit on both sides of the point. */
export const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Writes a decimal in a form that is equal for equal values: the sign, the digits without zeros at either end, and the
 * last digit's power of ten.
 */
const toCanonical = (decimal: string): string => {
  const negative = decimal.startsWith("-")
  const [mantissa = "", exponent = "0"] = decimal.slice(negative ? 1 : 0).split(/[eE]/)
  const [whole = "", fraction = ""] = mantissa.split(".")
  const digits = whole + fraction
  let start = 0
  while (digits[start] === "0") start++
  if (start === digits.length) return "0"
  let end = digits.length
  // This is a loop, because /0+$/ takes quadratic time on a long run of zeros that is not at the end.
  while (digits[end - 1] === "0") end--
  const power = Number(exponent) - fraction.length + (digits.length - end)
  return `${negative ? "-" : ""}${digits.slice(start, end)}e${power}`
}

/** `true` if the shortest decimal form of the double equals the source. `false` for infinity. */
export const isExact = (source: string, value: number): boolean =>
  String(value) === source || (Number.isFinite(value) && toCanonical(String(value)) === toCanonical(source))

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openObject = 0x7b
const closeObject = 0x7d
const openList = 0x5b
const closeList = 0x5d

const isEscaped = (text: string, at: number): boolean => {
  let before = at
  while (text.charCodeAt(before - 1) === backslash) before--
  return (at - before) % 2 === 1
}

/** Finds the end of the string that begins at a quote: the index after its closing quote, or the length of the text. */
const findStringEnd = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end + 1
}

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39
const isInNumber = (unit: number): boolean =>
  isDigit(unit) || unit === 0x2e || unit === 0x2b || unit === 0x2d || (unit | 0x20) === 0x65

const findNumberEnd = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && isInNumber(text.charCodeAt(at))) at++
  return at
}

const mustBeQuoted = (source: string): boolean =>
  mayLoseDigits(source) && jsonNumber.test(source) && !isExact(source, Number(source))

/**
 * Puts quotes around each number that a double cannot hold. Throws if the text exceeds a limit. Quotes only where a
 * value may be, so that invalid JSON stays invalid.
 */
const quoteInexact = (text: string): string => {
  const pieces: Array<string> = []
  let copied = 0
  let keys = 0
  let values = 1
  /** For each open container: `true` for an object, `false` for a list. */
  const isObject: Array<boolean> = []
  /** `true` where a value may begin. */
  let expectsValue = true
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      at = findStringEnd(text, at)
      expectsValue = false
      continue
    }
    if (expectsValue && (unit === 0x2d || isDigit(unit))) {
      const end = findNumberEnd(text, at)
      const source = text.slice(at, end)
      if (mustBeQuoted(source)) {
        pieces.push(text.slice(copied, at), '"', source, '"')
        copied = end
      }
      expectsValue = false
      at = end
      continue
    }
    at++
    if (isSpace(unit)) continue
    expectsValue = false
    if (unit === openObject || unit === openList) {
      values++
      isObject.push(unit === openObject)
      if (isObject.length > maxDepth) throw new SyntaxError(`JSON is nested deeper than ${maxDepth} levels`)
      expectsValue = unit === openList
    } else if (unit === closeObject || unit === closeList) {
      isObject.pop()
    } else if (unit === colon) {
      if (++keys > maxKeys) throw new SyntaxError(`JSON has more than ${maxKeys} keys`)
      expectsValue = true
    } else if (unit === comma) {
      values++
      expectsValue = isObject.at(-1) !== true
    }
    if (values > maxValues) throw new SyntaxError(`JSON has more than ${maxValues} values`)
  }
  return pieces.length === 0 ? text : pieces.join("") + text.slice(copied)
}

const occursMoreThan = (text: string, character: string, times: number): boolean => {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
    if (++count > times) return true
  }
  return false
}

/** A cheap check: `true` if the text is so short, and opens so few objects and lists, that it cannot exceed a limit. */
const isSmall = (text: string): boolean =>
  text.length <= maxValues && !occursMoreThan(text, "{", maxDepth / 2) && !occursMoreThan(text, "[", maxDepth / 2)

/**
 * Parses a text like `JSON.parse`, except that a number that a double cannot hold (too many digits, overflow,
 * underflow) becomes its source text. Throws a `SyntaxError` on text that is not JSON or exceeds a limit.
 */
export const parse = (text: string): unknown =>
  JSON.parse(isSmall(text) && !mayLoseDigits(text) ? text : quoteInexact(text))

export const parseIfJson = (text: string): unknown =>
  Result.getOrElse(
    Result.try(() => parse(text)),
    () => undefined
  )

/** Reads JSON at a path. */
export const at = (value: unknown, segments: ReadonlyArray<string>): unknown => {
  let inner = value
  for (const segment of segments) {
    if (!Predicate.isObjectOrArray(inner) || !Object.hasOwn(inner, segment)) return undefined
    inner = (inner as Readonly<Record<string, unknown>>)[segment]
  }
  return inner
}

// A text that breaks off after an inner object, or has other text around the object. Only objects that are certainly
// complete are read.

/** The maximum length of the text to read, in characters from the first brace on. */
const maxPrefixLength = 64 * 1024

/** A bracket, or a string. The last string may lack its closing quote. */
const prefixToken = /[{}[\]]|"[^"\\]*(?:\\[^][^"\\]*)*"?/g

/** Finds the longest prefix that ends with an object. Returns the prefix with its open brackets closed. */
const completePrefix = (json: string): string => {
  let found = ""
  let closing = ""
  for (const { 0: sign, index } of json.matchAll(prefixToken)) {
    if (sign === "{" || sign === "[") {
      if (closing.length === maxDepth) return found
      closing = (sign === "{" ? "}" : "]") + closing
    } else if (sign === "}" || sign === "]") {
      if (!closing.startsWith(sign)) return found
      closing = closing.slice(1)
      if (sign === "}") found = json.slice(0, index + 1) + closing
      if (closing === "") return found
    }
  }
  return found
}

/** Parses the object that begins at the first brace, as far as it is complete; `undefined` if there is none. */
export const parsePrefix = (text: string): unknown => {
  const start = text.indexOf("{")
  return start === -1 ? undefined : parseIfJson(completePrefix(text.slice(start, start + maxPrefixLength)))
}

// Canonical JSON: the same text for the same value.

/** Sorts the keys of an object. A file is represented by its name, type and size. */
const sortKeys = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/**
 * Computes the SHA-256 of a value's canonical JSON, in hexadecimal. Synchronous, unlike Web Crypto, because making an
 * error must not wait: a deadline or an interruption could come meanwhile.
 */
export const hash = (value: unknown): string =>
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- it is never read again, and its keys are sorted here.
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(value, sortKeys))))
