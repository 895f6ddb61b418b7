/** The envelope of every successful answer. */
import * as Schema from "effect/Schema"

/**
 * The codec of the envelope around the payload of a success: `{ message, data, status }`. Nothing depends on `message`
 * and `status`. Endpoint functions open it and return the payload.
 *
 * Specification: "Success envelope".
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = <S extends Schema.Top>(data: S) =>
  Schema.Struct({
    message: Schema.optionalKey(Schema.String),
    data,
    status: Schema.optionalKey(Schema.Int.annotate({ examples: [200] }))
  })
