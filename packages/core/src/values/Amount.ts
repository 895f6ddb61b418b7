/**
 * Exact decimal amounts. An amount is Effect's `BigDecimal` with a brand: add amounts with {@link sum}, and compare,
 * subtract and round them with the functions of `effect/BigDecimal`, whose result {@link fromBigDecimalUnsafe} turns into
 * an amount. Print an amount with {@link format}. No amount ever passes through a floating-point number.
 *
 * The specification shows no amounts. The SDK sends decimal strings, and accepts strings and JSON numbers.
 *
 * @since 0.1.0
 */
import * as BigDecimal from "effect/BigDecimal"
import type * as Brand from "effect/Brand"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema_ from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { jsonNumber } from "../json/ExactJson.ts"
import * as FastDecoder from "./fastDecoder.ts"

/** The maximum number of digits of an amount without an exponent, including a zero before the point. */
const maxDigits = 1_000

/** The maximum length of a text to parse: the digits, a sign, a point and an exponent. A longer text is not parsed. */
const maxLength = maxDigits + 24

const maxMagnitude = 10n ** BigInt(maxDigits)

/** Below it, the digits need not be counted. */
const usualMagnitude = 10n ** 100n

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

/** Counts the digits without writing them out, because a scale of -1,000,000,000 would write a gigabyte of zeros. */
const isBounded = ({ scale, value }: BigDecimal.BigDecimal): boolean => {
  const absolute = magnitude(value)
  if (absolute < usualMagnitude && scale >= 0 && scale < 100) return true
  if (absolute >= maxMagnitude) return false
  const digits = absolute.toString().length
  return (scale > 0 ? Math.max(digits, scale + 1) : digits - scale) <= maxDigits
}

/** Parses a text without an exponent. It has no more digits than characters, so checking its length is enough. */
const parseUsual = (text: string): BigDecimal.BigDecimal | undefined => {
  if (text.length > maxDigits || !jsonNumber.test(text) || text.includes("e") || text.includes("E")) return undefined
  const point = text.indexOf(".")
  return point === -1
    ? BigDecimal.make(BigInt(text), 0)
    : BigDecimal.make(BigInt(text.slice(0, point) + text.slice(point + 1)), text.length - point - 1)
}

const writeOut = ({ scale, value }: BigDecimal.BigDecimal): string => {
  if (scale <= 0) return (value * 10n ** BigInt(-scale)).toString()
  const digits = magnitude(value)
    .toString()
    .padStart(scale + 1, "0")
  return `${value < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

const parse = (text: string): Option.Option<BigDecimal.BigDecimal> =>
  text.length <= maxLength && jsonNumber.test(text) ? BigDecimal.fromString(text) : Option.none()

const hint = `Write a decimal such as "12.50", of at most ${maxDigits} digits when written out.`

/** `decimal` is the name in OpenAPI's format registry for a fixed-point decimal in a string. */
const WireText = Schema_.String.annotate({ format: "decimal", examples: ["12.50"] })

const Wire = Schema_.Union([WireText, Schema_.Finite]).annotate({
  description: 'An exact decimal. Always sent as a string such as "12.50"; a JSON number is accepted too.',
  expected: "a decimal as a string or a finite number"
})

const Bounded = Schema_.BigDecimal.pipe(
  Schema_.check(
    // `true` skips the later checks, because they must not compute with a value that is too large.
    Schema_.makeFilter(isBounded, { expected: `a decimal of at most ${maxDigits} digits when written out` }, true)
  ),
  Schema_.brand("Amount")
)

/** Decodes text in the syntax of a JSON number without rounding, and encodes a plain decimal. */
const exactDecimal = SchemaTransformation.transformEffect({
  decode: (input: string | number, options) =>
    Effect.fromOption(
      parse(String(input)),
      () => new SchemaIssue.InvalidValue({ expected: 'a decimal number such as "12.50"' }, input, options)
    ),
  encode: (amount: BigDecimal.BigDecimal): Effect.Effect<string> => Effect.succeed(writeOut(amount))
})

/**
 * An exact decimal of at most 1,000 digits. The type is Effect's `BigDecimal` with a brand.
 *
 * The codec decodes a string in the syntax of a JSON number (`"12.50"`, `"1e-18"`) without rounding. It decodes a
 * finite JSON number as its shortest decimal form. It encodes to a plain decimal string and keeps trailing zeros:
 * `"12.50"` stays `"12.50"`.
 *
 * @since 0.1.0
 * @category codecs
 */
export interface Amount extends BigDecimal.BigDecimal, Brand.Brand<"Amount"> {}
export const Amount: Schema_.Codec<Amount, string | number> = FastDecoder.annotate(
  Wire.pipe(Schema_.decodeTo(Bounded, exactDecimal)),
  (value) => {
    if (typeof value === "string") return parseUsual(value) ?? FastDecoder.none
    // An adapter gives an amount that it has read. JSON holds none.
    return BigDecimal.isBigDecimal(value) && isBounded(value) ? value : FastDecoder.none
  }
)

/**
 * The codec of an amount in HTTP payloads of your own: a string such as `"12.50"`. The codec refuses JSON numbers,
 * because a JSON parser may have rounded them already. Add the check {@link isPositive} if you move the amount.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Schema: Schema_.Codec<Amount, string> = WireText.pipe(Schema_.decodeTo(Amount))

/**
 * The check that an amount is greater than zero.
 *
 * @since 0.1.0
 * @category guards
 */
export const isPositive = Schema_.isGreaterThanBigDecimal(BigDecimal.fromBigInt(0n), {
  message: "An amount to move must be greater than 0"
})

/**
 * The codec of an amount above zero. The input of every operation that moves value uses it. Decoding and encoding both
 * check the amount.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Positive: Schema_.Codec<Amount, string | number> = Amount.pipe(Schema_.check(isPositive))

type Digits<S extends string> = S extends `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}${infer Rest}`
  ? Rest extends ""
    ? true
    : Digits<Rest>
  : false

/** `true` for digits without a leading zero, and for `0`. */
type Whole<S extends string> = S extends "0" ? true : S extends `0${string}` ? false : Digits<S>

type Unsigned<S extends string> = S extends `${infer Before}.${infer After}`
  ? [Whole<Before>, Digits<After>] extends [true, true]
    ? true
    : false
  : Whole<S>

/** The literal itself if it is a plain decimal, otherwise a message that says what to write. */
type Literal<S extends string> = string extends S
  ? "a literal; for other text use Amount.fromString"
  : (S extends `-${infer Rest}` ? Unsigned<Rest> : Unsigned<S>) extends true
    ? S
    : 'a decimal such as "12.50"'

/**
 * Makes an amount from a literal in code. The compiler refuses a text that is not a plain decimal, and a text of type
 * `string`. For text that is not a literal, use {@link fromString}.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 *
 * const fee = Amount.of("12.50")
 * Amount.format(fee) // "12.50"
 *
 * // @ts-expect-error: a decimal comma
 * export const wrong = () => Amount.of("12,50")
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = <const S extends string>(text: Literal<S>): Amount => fromStringUnsafe(text)

/**
 * Reads a text as an amount. Returns `None` if the codec {@link Schema} does not decode the text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromString = (s: string): Option.Option<Amount> =>
  Option.orElse(Option.fromUndefinedOr(parseUsual(s) as Amount | undefined), () => decode(s))

const decode = Schema_.decodeOption(Amount)

/**
 * Reads a text as an amount. Throws an `Error` where {@link fromString} returns `None`. Use {@link of} for a literal.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromStringUnsafe = (s: string): Amount =>
  Option.getOrThrowWith(
    fromString(s),
    () => new Error(`Not an amount: ${JSON.stringify(s.length > 40 ? `${s.slice(0, 40)}…` : s)}. ${hint}`)
  )

/**
 * Makes an amount from the result of an arithmetic operation. Throws an `Error` if the result has more than 1,000
 * digits when written out.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import * as BigDecimal from "effect/BigDecimal"
 *
 * const net = Amount.fromBigDecimalUnsafe(BigDecimal.subtract(Amount.of("12.50"), Amount.of("0.05")))
 * Amount.format(net) // "12.45"
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromBigDecimalUnsafe = (b: BigDecimal.BigDecimal): Amount =>
  Option.getOrThrowWith(
    Bounded.makeOption(b),
    () => new Error(`Not an amount: the decimal has more than ${maxDigits} digits when written out`)
  )

/**
 * Adds two amounts exactly. The sum keeps the decimal places of the longer one. Throws an `Error` if the sum has more
 * than 1,000 digits when written out.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 *
 * Amount.format(Amount.sum(Amount.of("12.50"), Amount.of("0.05"))) // "12.55"
 * ```
 *
 * @since 0.1.0
 * @category arithmetic
 */
export const sum = (a: Amount, b: Amount): Amount => fromBigDecimalUnsafe(BigDecimal.sum(a, b))

/**
 * Prints an amount without an exponent, and with its trailing zeros, which `BigDecimal.format` drops.
 *
 * @since 0.1.0
 * @category formatting
 */
export const format = (amount: Amount): string => writeOut(amount)
