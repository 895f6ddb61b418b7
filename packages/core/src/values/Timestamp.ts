/** The codec of times. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as FastDecoder from "./FastDecoder.ts"

const Text = Schema.String.annotate({ format: "date-time", examples: ["2026-11-20T09:30:00.000Z"] })

/** RFC 3339, but with optional seconds. A time without a zone may be hours off, so it does not match. */
const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i

const parse = (text: string): DateTime.Utc | undefined => {
  const millis = pattern.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(millis) ? undefined : DateTime.makeUnsafe(millis)
}

/**
 * The codec of a time: a `DateTime.Utc`, in milliseconds. The specification shows no format. RFC 3339's `date-time` is
 * assumed; a `ServiceContract` may define another format. In a record, a time that cannot be read is absent, and its
 * text is under `extra`. A time without a zone cannot be read, unless the contract has `times: "iso"`.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Timestamp: Schema.Codec<DateTime.Utc, string> = FastDecoder.annotate(
  Text.pipe(
    Schema.decodeTo(
      Schema.DateTimeUtc,
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
  (value) => (typeof value === "string" ? parse(value) : undefined) ?? FastDecoder.none
)
