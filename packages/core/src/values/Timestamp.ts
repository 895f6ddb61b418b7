/** The codec of times. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as FastDecoder from "./fastDecoder.ts"

const Text = Schema.String.annotate({ format: "date-time", examples: ["2026-11-20T09:30:00.000Z"] })

/** RFC 3339, but with optional seconds. A time without a zone may be hours off, so it does not match. */
const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i

/** The form of `Date.toISOString`, from the year 1000 on, with each field in its range. */
const usual = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

const digit = (text: string, at: number): number => text.charCodeAt(at) - 0x30
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1)

/** Computes what `Date.parse` returns for a text of the {@link usual} form, in a third of the time. */
const parseUsual = (text: string): number =>
  Date.UTC(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5) - 1,
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
    twoDigits(text, 20) * 10 + digit(text, 22)
  )

const parseMillis = (text: string): number =>
  usual.test(text) ? parseUsual(text) : pattern.test(text) ? Date.parse(text) : Number.NaN

/** `true` for a time of the years 0 to 9999, which alone RFC 3339 can write. */
const isWritable = (millis: number): boolean => millis >= -62_167_219_200_000 && millis < 253_402_300_800_000

const Writable = Schema.DateTimeUtc.check(
  Schema.makeFilter(({ epochMilliseconds }) => isWritable(epochMilliseconds), {
    expected: "a time of the years 0 to 9999"
  })
)

const parse = (text: string): DateTime.Utc | undefined => {
  const millis = parseMillis(text)
  return isWritable(millis) ? DateTime.makeUnsafe(millis) : undefined
}

/**
 * The codec of a time: a `DateTime.Utc`, in milliseconds. The specification shows no format. RFC 3339's `date-time` is
 * assumed; an adapter may read another format. A time is of the years 0 to 9999. In a record, a time that cannot be read
 * is absent, and its text is under `extra`. A time without a zone cannot be read.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Timestamp: Schema.Codec<DateTime.Utc, string> = FastDecoder.annotate(
  Text.pipe(
    Schema.decodeTo(
      Writable,
      SchemaTransformation.transformEffect({
        decode: (text, options) => {
          const time = parse(text)
          return time === undefined
            ? Effect.fail(new SchemaIssue.InvalidValue({ expected: "a time with a zone" }, text, options))
            : Effect.succeed(time)
        },
        encode: (time) => Effect.succeed(DateTime.formatIso(time))
      })
    )
  ),
  (value) => {
    if (typeof value === "string") return parse(value) ?? FastDecoder.none
    // An adapter gives a time that it has read. JSON holds none.
    return DateTime.isDateTime(value) && DateTime.isUtc(value) && isWritable(value.epochMilliseconds)
      ? value
      : FastDecoder.none
  }
)
