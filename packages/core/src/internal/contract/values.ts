/** Single values: from our JSON to the service's, and back. Pure. */
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import type { Defaults, OriginFields, WireType } from "../../ContractFile.ts"
import * as ExactJson from "../exactJson.ts"
import type { Kind, Leaf } from "./shape.ts"

/** The other fields of the record that contains a value. */
export type Beside = (name: string) => unknown

/** Why a value cannot be written as the contract says. */
type Written = Result.Result<unknown, string>

/** Both directions for a value. */
export interface Conversion {
  /** From ours to the service's. */
  readonly write: (value: unknown, beside: Beside) => Written
  /** From the service's to ours; `undefined` where it cannot be read. */
  readonly read: (value: unknown, beside: Beside) => unknown
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined

const isDigits = (text: string): boolean =>
  text !== "" && Array.from(text).every((digit) => digit >= "0" && digit <= "9")

/** A decimal as a JSON number of exactly that value. */
const numberOf = (text: string): Written => {
  const number = Number(text)
  if (ExactJson.isExact(text, number)) return Result.succeed(number)
  const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown }
  return rawJSON === undefined
    ? Result.fail("has more digits than a number holds on this platform")
    : Result.succeed(rawJSON(text))
}

const magnitude = (text: string): readonly [sign: string, digits: string] =>
  text.startsWith("-") ? ["-", text.slice(1)] : ["", text]

const withoutZeros = (digits: string): string => {
  let start = 0
  while (start < digits.length - 1 && digits[start] === "0") start++
  return digits.slice(start)
}

/** A plain decimal in minor units of 10^-digits; `undefined` if it is not a whole number of them. */
const inMinor = (decimal: string, digits: number): string | undefined => {
  const [sign, unsigned] = magnitude(decimal)
  const [whole = "", fraction = ""] = unsigned.split(".")
  if (!isDigits(whole + fraction)) return undefined
  const rest = fraction.slice(digits)
  if (Array.from(rest).some((digit) => digit !== "0")) return undefined
  return sign + withoutZeros(whole + fraction.slice(0, digits).padEnd(digits, "0"))
}

/** The decimal of a whole number of minor units. */
const fromMinor = (units: string, digits: number): string | undefined => {
  const [sign, unsigned] = magnitude(units)
  if (!isDigits(unsigned)) return undefined
  if (digits === 0) return sign + unsigned
  const padded = unsigned.padStart(digits + 1, "0")
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`
}

const mapText =
  (convert: (text: string) => string | undefined) =>
  (value: unknown): unknown => {
    const text = textOf(value)
    return text === undefined ? undefined : convert(text)
  }

const minor = ({ minor: units }: Exclude<WireType, string>): Conversion => {
  const digitsOf = (beside: Beside): number | undefined => {
    if (typeof units === "number") return units
    const name = textOf(beside(units.by))
    return name !== undefined && Object.hasOwn(units.digits, name) ? units.digits[name] : undefined
  }
  return {
    write: (value, beside) => {
      const digits = digitsOf(beside)
      if (digits === undefined) return Result.fail("is in minor units, and the contract does not say how many digits")
      const whole = inMinor(String(value), digits)
      return whole === undefined ? Result.fail(`has more than ${digits} decimal places`) : numberOf(whole)
    },
    read: (value, beside) => {
      const digits = digitsOf(beside)
      return digits === undefined ? undefined : mapText((text) => fromMinor(text, digits))(value)
    }
  }
}

const asNumber: Conversion = {
  write: (value) => {
    const text = textOf(value)
    return text === undefined ? Result.succeed(value) : numberOf(text)
  },
  read: (value) => textOf(value) ?? value
}

const numericId: Conversion = {
  write: (value) => {
    const text = String(value)
    return isDigits(text) && withoutZeros(text) === text
      ? numberOf(text)
      : Result.fail("has to be a number, as the service's ids are")
  },
  read: mapText((text) => text)
}

const epoch = (perUnit: number): Conversion => ({
  write: (value) => {
    const millis = Date.parse(String(value))
    return Number.isNaN(millis) ? Result.fail("is not a time") : Result.succeed(millis / perUnit)
  },
  read: mapText((text) => {
    const millis = Math.round(Number(text) * perUnit)
    // The range of a Date.
    return text === "" || !(Math.abs(millis) <= 8.64e15) ? undefined : DateTime.formatIso(DateTime.makeUnsafe(millis))
  })
})

const asIs: Conversion = { write: Result.succeed, read: (value) => value }

/** What a type means for a value of a kind. */
const typed = (type: WireType | undefined, kind: Kind): Conversion => {
  if (type === undefined || type === "string" || type === "iso") return asIs
  if (typeof type === "object") return minor(type)
  if (type === "number") return kind === "id" ? numericId : asNumber
  return epoch(type === "seconds" ? 1_000 : 1)
}

/** The type that a contract gives to all values of a kind. */
export const typeOf = (kind: Kind, { amounts, ids, times }: Defaults): WireType | undefined => {
  switch (kind) {
    case "amount":
      return amounts
    case "id":
      return ids
    case "time":
      return times
    case "object":
    case "other":
      return undefined
  }
}

type Scalar = string | number | boolean

const listOf = (values: Scalar | ReadonlyArray<Scalar>): ReadonlyArray<Scalar> =>
  Array.isArray(values) ? values : [values as Scalar]

/** The service's values in place of ours, and back. */
const translated = (values: NonNullable<OriginFields["values"]>, isOpen: boolean): Conversion => {
  const toTheirs = new Map(Object.entries(values).map(([ours, theirs]) => [ours, listOf(theirs)[0]]))
  const toOurs = new Map(
    Object.entries(values).flatMap(([ours, theirs]) => listOf(theirs).map((value) => [String(value), ours] as const))
  )
  return {
    write: (value) => {
      const theirs = toTheirs.get(String(value))
      if (theirs !== undefined) return Result.succeed(theirs)
      return isOpen ? Result.succeed(value) : Result.fail("is not a value that the contract lists")
    },
    // Our values are an open set: an unlisted value is kept unchanged, unless it equals one of ours.
    read: (value) => toOurs.get(String(value)) ?? (isOpen || !toTheirs.has(String(value)) ? value : undefined)
  }
}

/** How a value is converted, or `undefined` if it stays as it is. */
export const make = (
  { kind }: Leaf,
  origin: Pick<OriginFields, "as" | "values" | "open">,
  defaults: Defaults
): Conversion | undefined => {
  if (origin.values !== undefined) return translated(origin.values, origin.open === true)
  const conversion = typed(origin.as ?? typeOf(kind, defaults), kind)
  return conversion === asIs ? undefined : conversion
}
