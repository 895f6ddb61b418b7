/**
 * Exact decimal amounts: what moves is counted in decimals, never in floating point.
 *
 * The specification does not show how an amount is written ("Transactions/amounts: not shown"). Our assumption: amounts
 * go out as decimal strings, and come in as strings or as JSON numbers.
 *
 * An amount is Effect's `BigDecimal` under a brand, so `BigDecimal.sum`, `BigDecimal.isLessThan` and the rest work on it
 * directly. Arithmetic gives a `BigDecimal` back; {@link fromBigDecimal} makes it an amount again. Print with
 * {@link format}: `BigDecimal.format` drops trailing zeros, and writes `1e-18` for one wei.
 */
import * as BigDecimal from "effect/BigDecimal"
import type * as Brand from "effect/Brand"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** The most digits an amount may have when written out, counting the zero before the point. */
const maxDigits = 1_000

/** All that fits: the digits, a sign, a point, and an exponent. Longer text is refused before it is looked at. */
const maxLength = maxDigits + 24

const maxMagnitude = 10n ** BigInt(maxDigits)

/** The number of RFC 8259, section 6: no leading `+`, no leading zeros, a digit on both sides of the point. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

/** Without writing it out: a scale of -1,000,000,000 is a gigabyte of zeros. */
const isBounded = ({ scale, value }: BigDecimal.BigDecimal): boolean => {
  const absolute = magnitude(value)
  if (absolute >= maxMagnitude) return false
  const digits = absolute.toString().length
  return (scale > 0 ? Math.max(digits, scale + 1) : digits - scale) <= maxDigits
}

const plain = ({ scale, value }: BigDecimal.BigDecimal): string => {
  if (scale <= 0) return (value * 10n ** BigInt(-scale)).toString()
  const digits = magnitude(value)
    .toString()
    .padStart(scale + 1, "0")
  return `${value < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

const parse = (text: string): Option.Option<BigDecimal.BigDecimal> =>
  text.length <= maxLength && jsonNumber.test(text) ? BigDecimal.fromString(text) : Option.none()

const hint = `Write a decimal such as "12.50", of at most ${maxDigits} digits when written out.`

const Wire = Schema.Union([Schema.String, Schema.Finite]).annotate({
  description: 'An exact decimal. Always sent as a string such as "12.50"; a JSON number is accepted too.',
  expected: "a decimal as a string or a finite number"
})

const Bounded = Schema.BigDecimal.pipe(
  Schema.check(
    // Aborts: no later check should meet a value too large to compute with.
    Schema.makeFilter(isBounded, { expected: `a decimal of at most ${maxDigits} digits when written out` }, true)
  ),
  Schema.brand("Amount")
)

/**
 * The codec of an amount.
 *
 * Decodes, without rounding, a string in the syntax of a JSON number (`"12.50"`, `"-0.1"`, `"1e-18"`) or a finite JSON
 * number, which counts as its shortest decimal form: `0.1` is one tenth. Encodes to a plain decimal string, never with
 * an exponent, keeping the scale: `"12.50"` stays `"12.50"`.
 *
 * Fails with a `SchemaError` on any other text (empty, padded with whitespace, `"+1"`, `".5"`, `"007"`, `"0x10"`,
 * `"NaN"`, `"Infinity"`), and on an amount of more than 1,000 digits when written out.
 *
 * Specification: amounts are not shown there; strings out, strings or numbers in, is our assumption.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import * as Schema from "effect/Schema"
 *
 * const Balance = Schema.Struct({ available: Amount.Amount })
 *
 * const balance = Schema.decodeUnknownSync(Balance)({ available: "12.50" })
 * Schema.encodeSync(Balance)(balance) // { available: "12.50" }
 * ```
 */
export const Amount: Schema.Codec<Amount, string | number> = Wire.pipe(
  Schema.decodeTo(
    Bounded,
    SchemaTransformation.transformEffect({
      decode: (input: string | number, options) =>
        Effect.fromOption(
          parse(String(input)),
          () => new SchemaIssue.InvalidValue({ expected: 'a decimal number such as "12.50"' }, input, options)
        ),
      encode: (amount: BigDecimal.BigDecimal) => Effect.succeed(plain(amount))
    })
  )
)

/**
 * An exact decimal of at most 1,000 digits: Effect's `BigDecimal`, branded.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import * as BigDecimal from "effect/BigDecimal"
 *
 * export const withFee = (amount: Amount.Amount, fee: Amount.Amount): Amount.Amount =>
 *   Amount.fromBigDecimal(BigDecimal.sum(amount, fee))
 * ```
 */
export interface Amount extends BigDecimal.BigDecimal, Brand.Brand<"Amount"> {}

/**
 * An amount above zero: the input of whatever moves money.
 *
 * The same codec as {@link Amount}; a `SchemaError` besides on zero and below, when decoding and when encoding.
 *
 * Specification: amounts are not shown there; that zero and below are refused before anything is sent is our decision.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import * as Schema from "effect/Schema"
 *
 * const SendInput = Schema.Struct({ to: Schema.NonEmptyString, amount: Amount.Positive })
 *
 * Schema.encodeSync(SendInput)({ to: "0xabc", amount: Amount.fromString("12.50") }) // { to: "0xabc", amount: "12.50" }
 * ```
 */
export const Positive: Schema.Codec<Amount, string | number> = Amount.pipe(
  Schema.check(
    Schema.isGreaterThanBigDecimal(BigDecimal.fromBigInt(0n), { message: "An amount to move must be greater than 0" })
  )
)

/**
 * The amount that a decimal string writes, or none where {@link fromString} throws.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import * as Option from "effect/Option"
 *
 * export const echo = (text: string): string =>
 *   Option.match(Amount.fromStringOption(text), { onNone: () => "Not an amount", onSome: Amount.format })
 * ```
 */
export const fromStringOption = (s: string): Option.Option<Amount> => Schema.decodeOption(Amount)(s)

/**
 * The amount that a decimal string writes: for literals in code. For text from elsewhere, use {@link fromStringOption}
 * or the codec.
 *
 * Throws an `Error` where the string is not in the syntax of a JSON number, or has more than 1,000 digits when written
 * out.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 *
 * const fee = Amount.fromString("12.50")
 * Amount.format(fee) // "12.50"
 * ```
 */
export const fromString = (s: string): Amount =>
  Option.getOrThrowWith(
    fromStringOption(s),
    () => new Error(`Not an amount: ${JSON.stringify(s.length > 40 ? `${s.slice(0, 40)}…` : s)}. ${hint}`)
  )

/**
 * The result of an arithmetic operation, as an amount. The scale stays as it is.
 *
 * Throws an `Error` where the decimal has more than 1,000 digits when written out.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import * as BigDecimal from "effect/BigDecimal"
 *
 * const total = Amount.fromBigDecimal(BigDecimal.sum(Amount.fromString("12.50"), Amount.fromString("0.05")))
 * Amount.format(total) // "12.55"
 * ```
 */
export const fromBigDecimal = (b: BigDecimal.BigDecimal): Amount =>
  Option.getOrThrowWith(
    Bounded.makeOption(b),
    () => new Error(`Not an amount: the decimal has more than ${maxDigits} digits when written out`)
  )

/**
 * The plain decimal form: never an exponent, trailing zeros as the amount holds them.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 *
 * Amount.format(Amount.fromString("12.50")) // "12.50"
 * Amount.format(Amount.fromString("1e-18")) // "0.000000000000000001"
 * ```
 */
export const format = (amount: Amount): string => plain(amount)
