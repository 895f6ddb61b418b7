/** Converts single values between the SDK's JSON and the service's JSON. Pure. */
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import type { Defaults, PlaceFields, Values } from "./ContractFile.ts"
import * as ExactJson from "@effect-custody/core/ExactJson"
import type { Leaf } from "@effect-custody/core/Shape"

type Kind = Leaf["kind"]

type WireType = NonNullable<PlaceFields["as"]>

type Written = Result.Result<unknown, string>

export interface Conversion {
  readonly write: (value: unknown) => Written
  /** Converts the service's value to ours. Returns `undefined` if the value is unreadable. */
  readonly read: (value: unknown) => unknown
}

const toText = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined

/** Converts a decimal to a JSON number with exactly its value. */
const toNumber = (text: string): Written => {
  const number = Number(text)
  if (ExactJson.isExact(text, number)) return Result.succeed(number)
  return ExactJson.rawJSON === undefined
    ? Result.fail("has more digits than a number holds on this platform")
    : Result.succeed(ExactJson.rawJSON(text))
}

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=.)/, "")

/** Converts a plain decimal to minor units of 10^-digits. Returns `undefined` if the result is not a whole number. */
const inMinor = (decimal: string, digits: number): string | undefined => {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? []
  if (whole === "" || !/^0*$/.test(fraction.slice(digits))) return undefined
  return sign + withoutZeros(whole + fraction.slice(0, digits).padEnd(digits, "0"))
}

/** Converts a whole number of minor units to a decimal. */
const fromMinor = (units: string, digits: number): string | undefined => {
  const [, sign = "", whole] = /^(-?)(\d+)$/.exec(units) ?? []
  if (whole === undefined || digits === 0) return whole && sign + whole
  const padded = whole.padStart(digits + 1, "0")
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`
}

/** Converts amounts to a whole number of minor units. */
export const minor = (digits: number, form: "number" | "string" = "number"): Conversion => ({
  write: (value) => {
    const whole = inMinor(String(value), digits)
    if (whole === undefined) return Result.fail(`has more than ${digits} decimal places`)
    return form === "number" ? toNumber(whole) : Result.succeed(whole)
  },
  read: (value) => {
    const text = toText(value)
    return text === undefined ? undefined : fromMinor(text, digits)
  }
})

/** Amounts as JSON numbers with all of their digits. */
export const asNumber: Conversion = {
  write: (value) => {
    const text = toText(value)
    return text === undefined ? Result.succeed(value) : toNumber(text)
  },
  read: (value) => toText(value) ?? value
}

const numericId: Conversion = {
  write: (value) => {
    const text = String(value)
    return /^(?:0|[1-9]\d*)$/.test(text) ? toNumber(text) : Result.fail("has to be a number, as the service's ids are")
  },
  read: toText
}

/**
 * Converts times to whole units since the epoch. With `isUpper`, the time is the end of a range and is rounded up.
 * Every other time is rounded down. So a range of times loses no row.
 */
const epoch = (perUnit: number, isUpper: boolean): Conversion => ({
  write: (value) => {
    const units = Date.parse(String(value)) / perUnit
    if (Number.isNaN(units)) return Result.fail("is not a time")
    return Result.succeed(isUpper ? Math.ceil(units) : Math.floor(units))
  },
  read: (value) => {
    const text = toText(value) ?? ""
    const millis = Math.round(Number(text) * perUnit)
    // A `Date` holds only times within 8.64e15 milliseconds of the epoch.
    return text === "" || !(Math.abs(millis) <= 8.64e15) ? undefined : DateTime.formatIso(DateTime.makeUnsafe(millis))
  }
})

const readWithoutZone = (value: unknown): unknown =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(value)
    ? `${value.replace(" ", "T")}Z`
    : value

/** Reads a time without a zone as UTC. */
const iso: Conversion = { write: Result.succeed, read: readWithoutZone }

/** Reads and writes times without a zone, in UTC. */
export const localUtc: Conversion = { ...iso, write: (value) => Result.succeed(String(value).replace(/Z$/, "")) }

/** The conversion of times. With `isUpper`, the time is the end of a range. */
export const time = (type: "iso" | "seconds" | "milliseconds", isUpper: boolean): Conversion =>
  type === "iso" ? iso : epoch(type === "seconds" ? 1_000 : 1, isUpper)

/** The conversion for a wire type and a kind, or `undefined` if the value needs no conversion. */
const typed = (type: WireType | undefined, kind: Kind, name: string): Conversion | undefined => {
  if (type === undefined) return undefined
  if (typeof type === "object") return minor(type.minor)
  if (type === "number") return kind === "id" ? numericId : asNumber
  return time(type, name === "to")
}

/** The wire type for a kind of value, by the contract's defaults. */
const defaultType = (kind: Kind, { amounts, times }: Defaults): WireType | undefined =>
  kind === "amount" ? amounts : kind === "time" ? times : undefined

/** The service's values for one of our values, as a list. */
export const toList = (values: Values[string]): ReadonlyArray<string | number | boolean> =>
  typeof values === "object" ? values : [values]

/** The reason why a request cannot carry one of our values. */
export const several = (value: unknown, words: ReadonlyArray<unknown>): string =>
  `the service has several words for ${String(value)}, and the request carries one: ${words.join(", ")}`

/** Reads all of the service's values, and writes the first. A request (`isRequest`) carries none of several values. */
export const translated = (values: Values, isRequest: boolean): Conversion => {
  const toTheirs = new Map(Object.entries(values).map(([ours, theirs]) => [ours, toList(theirs)]))
  const toOurs = new Map([...toTheirs].flatMap(([ours, theirs]) => theirs.map((each) => [String(each), ours] as const)))
  return {
    write: (value) => {
      const theirs = toTheirs.get(String(value)) ?? []
      if (theirs.length === 0) return Result.fail("is not a value that the contract lists")
      return isRequest && theirs.length > 1 ? Result.fail(several(value, theirs)) : Result.succeed(theirs[0])
    },
    // An unlisted value is returned unchanged, because our types allow unknown values. But if the value is spelled like
    // one of ours, the caller would mistake it for ours, so it is unreadable.
    read: (value) => toOurs.get(String(value)) ?? (toTheirs.has(String(value)) ? undefined : value)
  }
}

/** The conversion of a field's value, or `undefined` if the value needs no conversion. */
export const make = (
  name: string,
  { kind }: Leaf,
  { as, values }: PlaceFields,
  defaults: Defaults,
  isRequest: boolean
): Conversion | undefined => {
  const map = values === undefined ? undefined : defaults.values?.[values]
  return map === undefined ? typed(as ?? defaultType(kind, defaults), kind, name) : translated(map, isRequest)
}
