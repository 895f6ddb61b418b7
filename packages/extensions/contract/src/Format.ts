/**
 * How services write times, amounts, words and names: formats for adapters. A format that cannot write or read a value
 * throws, so that the SDK sends nothing, or cannot read the answer.
 *
 * @since 0.1.0
 */
import * as Amount from "@effect-custody/core/Amount"
import type { OpenEnum } from "@effect-custody/core/Lenient"
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import { FastDecoder } from "@effect-custody/core/siblings/Operation"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"

/**
 * Converts a name of the SDK to snake case: `clientId` becomes `client_id`.
 *
 * @since 0.1.0
 * @category names
 */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

/** The key of what a format depends on. It belongs to the fingerprint of an adapter. */
const key = "custodyFormat"

/** A codec that reads with a function. It gives `FastDecoder.none` for a value that it cannot read. */
const codec = <T, E extends string | number>(
  [from, isFrom, to]: readonly [Schema.Codec<E>, (value: unknown) => value is E, Schema.Codec<T>],
  about: unknown,
  expected: string,
  read: (value: E) => T | typeof FastDecoder.none,
  write: (value: T) => E
): Schema.Codec<T, E> => {
  const transformation = SchemaTransformation.transformEffect<T, E>({
    decode: (value, options) => {
      const found = read(value)
      return found === FastDecoder.none
        ? Effect.fail(new SchemaIssue.InvalidValue({ expected }, value, options))
        : Effect.succeed(found as T)
    },
    encode: (value) => Effect.succeed(write(value))
  })
  const slow = from.pipe(Schema.decodeTo(to, transformation), Schema.annotate({ [key]: about }))
  return FastDecoder.annotate(slow, (value) => (isFrom(value) ? read(value) : FastDecoder.none))
}

const time = (
  about: string,
  toMillis: (value: string | number) => number,
  write: (time: DateTime.Utc) => string | number
): Schema.Codec<DateTime.Utc, string | number> => {
  const read = (value: string | number) => {
    const millis = toMillis(value)
    // A `Date` holds only times within 8.64e15 milliseconds of the epoch.
    return Math.abs(millis) <= 8.64e15 ? DateTime.makeUnsafe(millis) : FastDecoder.none
  }
  const isFrom = (value: unknown): value is string | number => typeof value === "string" || Number.isFinite(value)
  const parts = [Schema.Union([Schema.String, Schema.Finite]), isFrom, Schema.DateTimeUtc] as const
  return codec(parts, about, `a time in ${about}`, read, write)
}

const epoch = (perUnit: number) => (value: string | number) =>
  value === "" ? Number.NaN : Math.round(Number(value) * perUnit)

/**
 * A time in seconds since 1970.
 *
 * @since 0.1.0
 * @category times
 */
export const Seconds = time("seconds", epoch(1_000), (time) => Math.floor(DateTime.toEpochMillis(time) / 1_000))

/**
 * A time in milliseconds since 1970.
 *
 * @since 0.1.0
 * @category times
 */
export const Milliseconds = time("milliseconds", epoch(1), DateTime.toEpochMillis)

/**
 * A time in UTC without a zone: `2026-11-20T09:30:00`, or with a space for the `T`.
 *
 * @since 0.1.0
 * @category times
 */
export const LocalUtc = time(
  "UTC without a zone",
  (value) =>
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(String(value))
      ? Date.parse(`${String(value).replace(" ", "T")}Z`)
      : Number.NaN,
  (time) => DateTime.formatIso(time).slice(0, -1)
)

/** A JSON number with exactly the value of a decimal. */
const toNumber = (decimal: string): unknown => {
  const number = Number(decimal)
  if (ExactJson.isExact(decimal, number)) return number
  if (ExactJson.rawJSON === undefined) throw new Error("has more digits than a number holds on this platform")
  return ExactJson.rawJSON(decimal)
}

/**
 * Writes an amount as a JSON number with all of its digits. `Amount.Amount` reads such a number.
 *
 * @since 0.1.0
 * @category amounts
 */
export const decimal = (amount: Amount.Amount): unknown => toNumber(Amount.format(amount))

/**
 * Amounts as a whole number of their smallest unit, of which `digits` decimal places make one: a number for all assets,
 * or a number for each. `write` and `read` throw for an asset that is not listed, for an amount with more decimal places,
 * and for units that are no whole number. `write` gives a JSON number, or with `"string"` a text.
 *
 * @since 0.1.0
 * @category amounts
 */
export const minorUnits = (
  digits: number | Readonly<Record<string, number>>,
  form: "number" | "string" = "number"
): {
  readonly write: (amount: Amount.Amount, assetId?: string) => unknown
  readonly read: (units: unknown, assetId?: string) => Amount.Amount
} => {
  const digitsOf = (assetId = ""): number => {
    if (typeof digits === "number") return digits
    if (Object.hasOwn(digits, assetId)) return digits[assetId]!
    throw new Error(`the adapter has no decimal places for the asset ${assetId || "that is not named"}`)
  }
  return {
    write: (amount, assetId) => {
      const digits = digitsOf(assetId)
      const { scale, value } = BigDecimal.normalize(amount)
      if (scale > digits) throw new Error(`has more than ${digits} decimal places`)
      const units = String(value * 10n ** BigInt(digits - scale))
      return form === "number" ? toNumber(units) : units
    },
    read: (units, assetId) => {
      if (!/^-?\d+$/.test(String(units))) throw new Error("is not a whole number of minor units")
      return Amount.fromBigDecimalUnsafe(BigDecimal.make(BigInt(String(units)), digitsOf(assetId)))
    }
  }
}

type Table<K extends string> = { readonly [N in K]: string | ReadonlyArray<string> }

/**
 * The service's words for values of the SDK, in both directions.
 *
 * @since 0.1.0
 * @category words
 */
export interface Words<K extends string> {
  /** The codec of a field of an answer. It reads a word that is not listed as it is, unless it is spelled like ours. */
  readonly schema: Schema.Codec<OpenEnum<K>, string>
  /**
   * The word for a value of a request. Throws for a value that is not listed, and for one with several words: a filter by
   * one of them would hide rows.
   */
  readonly write: (value: string) => string
  /** The value of a word: what the service's side of a request needs. Throws where `schema` refuses. */
  readonly read: (word: string) => OpenEnum<K>
}

/**
 * Says the words once. For an enumeration, every value is named: with a word, with several, or with none (`[]`) if the
 * service has no such value.
 *
 * @example
 * ```ts
 * import { Format } from "@effect-custody/contract"
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const status = Format.Words(Transactions.Status, {
 *   PENDING: ["queued", "signing"], BROADCASTING: "sent", COMPLETED: "done", REJECTED: "refused", ERROR: "failed"
 * })
 * const assets = Format.Words({ usdc: "USDC-ETH", eth: "ETH" })
 * ```
 *
 * @since 0.1.0
 * @category words
 */
export const Words: {
  <const Known extends string>(
    enumeration: { readonly known: ReadonlyArray<Known> },
    table: Table<NoInfer<Known>>
  ): Words<Known>
  <const K extends string>(table: Table<K>): Words<K>
} = (...given: ReadonlyArray<object>): Words<any> => {
  const table = given.at(-1) as Readonly<Record<string, string | ReadonlyArray<string>>>
  const known = given.length === 1 ? [] : (given[0] as { readonly known: ReadonlyArray<string> }).known
  const ofOurs = new Map(Object.entries(table).map(([ours, words]) => [ours, [words].flat()]))
  const all = [...ofOurs.values()].flat()
  const wrong = all.find((word, at) => all.indexOf(word) !== at) ?? known.find((each) => !ofOurs.has(each))
  if (wrong !== undefined) throw new Error(`${wrong} is not in the table exactly once`)
  const toOurs = new Map([...ofOurs].flatMap(([ours, words]) => words.map((word) => [word, ours] as const)))
  const find = (word: string) => toOurs.get(word) ?? (ofOurs.has(word) ? FastDecoder.none : word)
  const write = (value: string): string => {
    const [word, ...others] = ofOurs.get(value) ?? []
    if (word === undefined) throw new Error(`${value} is not a value that the adapter lists`)
    if (others.length === 0) return word
    throw new Error(`the service has several words for ${value}, and the request carries one`)
  }
  const read = (word: string): string => {
    const ours = find(word)
    if (ours === FastDecoder.none) throw new Error(`the service's word ${word} is one of the SDK's values`)
    return ours
  }
  const texts = [Schema.String, Predicate.isString, Schema.String] as const
  const first = (ours: string) => ofOurs.get(ours)?.[0] ?? ours
  return {
    schema: codec(texts, table, "a word that the adapter lists", find, first),
    write,
    read
  } as unknown as Words<any>
}
