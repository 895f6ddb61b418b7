/** A write that the service has carried out, for checks that each happened once or not at all. */
import * as Schema from "effect/Schema"

/** One write: a request that changed something, with the answer that said so, whether or not it arrived. */
export const Write = Schema.Struct({
  /** From 1, in the order in which they were carried out. */
  sequence: Schema.Int,
  at: Schema.DateTimeUtcFromMillis,
  vaultId: Schema.Int,
  /** Such as `transactions.send`. */
  operation: Schema.String,
  /** What the caller called it: its `note`, `reason`, `name` or `id`, the first of these that came. */
  marker: Schema.optionalKey(Schema.String),
  /** Path parameters and body as they came; of a file, its name, type, size and SHA-256. */
  input: Schema.Record(Schema.String, Schema.Unknown),
  /** The identifier of what it made or changed, if the answer named one. */
  id: Schema.optionalKey(Schema.String)
})
export interface Write extends Schema.Schema.Type<typeof Write> {}
