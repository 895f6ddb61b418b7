/**
 * How services write times, amounts and words: schemas for wires in code. The SDK's side of each is a value of the SDK.
 */
import * as Amount from "@effect-custody/core/Amount"
import type { OpenEnum } from "@effect-custody/core/OpenEnum"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Values from "./values.ts"

/** The key of what a format depends on, which belongs to the fingerprint of a contract. */
const key = "custodyFormat"

/** Makes the schema of a conversion, whose other side is one of the SDK's codecs. */
const format = <A, I>(
  about: unknown,
  ours: Schema.Codec<A, any>,
  theirs: Schema.Codec<I>,
  { read, write }: Values.Conversion
): Schema.Codec<A, I> => {
  const invalid = (expected: string, value: unknown) => Effect.fail(new SchemaIssue.InvalidValue({ expected }, value))
  return theirs.pipe(
    Schema.decodeTo(
      ours,
      SchemaTransformation.transformEffect<any, any>({
        decode: (value) => {
          const converted = read(value)
          return converted === undefined
            ? invalid("a value in the format of the contract", value)
            : Effect.succeed(converted)
        },
        encode: (value) =>
          Result.match(write(value), { onSuccess: Effect.succeed, onFailure: (reason) => invalid(reason, value) })
      })
    ),
    Schema.annotate({ [key]: about })
  ) as unknown as Schema.Codec<A, I>
}

const Text = Schema.Union([Schema.String, Schema.Finite])

const time = (type: string, conversion: Values.Conversion) =>
  format<DateTime.Utc, string | number>(type, Timestamp, Text, conversion)

/**
 * A time in whole seconds since 1970. It is written rounded down; the SDK rounds the end of a range up first.
 *
 * @since 0.1.0
 * @category formats
 */
export const Seconds = time("seconds", Values.time("seconds", false))

/**
 * A time in milliseconds since 1970.
 *
 * @since 0.1.0
 * @category formats
 */
export const Milliseconds = time("milliseconds", Values.time("milliseconds", false))

/**
 * A time in UTC without a zone, such as `2026-11-20T09:30:00.000`.
 *
 * @since 0.1.0
 * @category formats
 */
export const LocalUtc = time("utc", Values.localUtc)

/**
 * An amount as a whole number of its smallest unit, of which `digits` decimal places make one. It is written as a JSON
 * number, or as a text. An amount with more decimal places is refused.
 *
 * @since 0.1.0
 * @category formats
 */
export const Minor = (digits: number, form: "number" | "string" = "number"): Schema.Codec<Amount.Amount, unknown> =>
  format([digits, form], Amount.Amount, Schema.Unknown, Values.minor(digits, form))

/**
 * An amount as a JSON number with all of its digits. As a text, an amount is `Amount.Amount`.
 *
 * @since 0.1.0
 * @category formats
 */
export const Decimal: Schema.Codec<Amount.Amount, unknown> = format(
  "number",
  Amount.Amount,
  Schema.Unknown,
  Values.asNumber
)

/**
 * The minor units of several assets: how many decimal places each has. `schema` is the field of the service's record.
 * Both functions throw for an asset that is not listed, so that the SDK refuses the request or the answer.
 *
 * @since 0.1.0
 * @category formats
 */
export const minorUnits = (digits: Readonly<Record<string, number>>, form: "number" | "string" = "number") => {
  const find = (assetId: string | undefined): number => {
    if (assetId !== undefined && Object.hasOwn(digits, assetId)) return digits[assetId]!
    throw new Error(`the contract has no decimal places for the asset ${assetId ?? "that is not named"}`)
  }
  return {
    schema: Schema.Unknown.annotate({ [key]: [digits, form] }),
    read: (assetId: string | undefined, units: unknown): Amount.Amount =>
      Amount.fromStringUnsafe(String(Values.minor(find(assetId)).read(units))),
    write: (assetId: string | undefined, amount: Amount.Amount): unknown =>
      Result.getOrThrow(Values.minor(find(assetId), form).write(Amount.format(amount)))
  }
}

type Table = Readonly<Record<string, string | ReadonlyArray<string>>>

/**
 * The service's words for each value of an enumeration: `Words(Transactions.Status, { PENDING: ["queued", "signing"],
 * … })`. All of them are read, and the first is written in a record. An empty list: the service has no such value. A
 * request with a value that has several words is refused: it would mean one of them only. A word that is not listed is
 * read as it is, and never written.
 *
 * @since 0.1.0
 * @category formats
 */
export const Words = <const Known extends string>(
  { known }: { readonly known: ReadonlyArray<Known> },
  table: { readonly [K in NoInfer<Known>]: string | ReadonlyArray<string> }
): Schema.Codec<OpenEnum<Known>, string> => {
  const words = Object.values<string | ReadonlyArray<string>>(table).flat()
  const wrong =
    words.find((word, at) => words.indexOf(word) !== at) ?? known.find((each) => !Object.hasOwn(table, each))
  if (wrong !== undefined) throw new Error(`${wrong} is not in the table exactly once`)
  const converted = format<string, string>({ table }, Schema.String, Schema.String, Values.translated(table, false))
  return converted as unknown as Schema.Codec<OpenEnum<Known>, string>
}

/** Finds a value of a request for which the service has several words, of which the request would carry one. */
export const severalWords = (field: Schema.Top, value: unknown): string | undefined => {
  if (Predicate.isReadonlyObject(value) && Predicate.hasProperty(field, "fields")) {
    const inner = Object.entries(field.fields as Schema.Struct.Fields)
    return inner.map(([name, each]) => severalWords(each as Schema.Top, value[name])).find((each) => each !== undefined)
  }
  const words = SchemaAST.resolveAt<{ readonly table?: Table }>(key)(field.ast)?.table?.[String(value)]
  return Array.isArray(words) && words.length > 1 ? Values.several(value, words) : undefined
}
