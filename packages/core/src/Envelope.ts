/**
 * The envelope of every successful answer. Endpoint functions open it and return the payload.
 *
 * Specification: "Success envelope".
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The codec of the envelope around a payload: `{ message, data, status }`. `message` and `status` may be missing:
 * nothing depends on them.
 *
 * @example
 * ```ts
 * import { Envelope } from "@effect-custody/core"
 * import { Schema } from "effect"
 *
 * const Answer = Envelope.of(Schema.Struct({ id: Schema.String }))
 * Schema.decodeUnknownSync(Answer)({ message: "ok", data: { id: "w1" }, status: 200 }).data.id // "w1"
 * ```
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
