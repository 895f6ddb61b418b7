/**
 * What every successful answer is wrapped in. Opening it is the SDK's business: endpoint functions give the payload.
 *
 * Specification: "Success envelope".
 */
import * as Schema from "effect/Schema"

/**
 * `{ message, data, status }`. Only `data` is relied on; a missing `message` or `status` is borne.
 */
export const of = <S extends Schema.Top>(data: S) =>
  Schema.Struct({
    message: Schema.optionalKey(Schema.String),
    data,
    status: Schema.optionalKey(Schema.Int)
  })

/** The schema of an envelope around `S`. */
export interface Envelope<S extends Schema.Top> extends ReturnType<typeof of<S>> {}
