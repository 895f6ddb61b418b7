/** Codecs of the times that the service writes. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/**
 * The codec of a time in an answer: a string, kept unchanged. The specification shows no format; RFC 3339's `date-time` is
 * assumed.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Timestamp = Schema.String.annotate({ format: "date-time", examples: ["2026-11-20T09:30:00.000Z"] })

/**
 * The codec of a time in a request: a `DateTime.Utc`, sent as `date-time` in UTC.
 *
 * @since 0.1.0
 * @category codecs
 */
export const UtcTimestamp = Timestamp.pipe(
  Schema.decodeTo(Schema.DateTimeUtc, SchemaTransformation.dateTimeUtcFromString)
)
