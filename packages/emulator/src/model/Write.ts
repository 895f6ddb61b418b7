/**
 * The writes that the service carried out. Tests use them to check that each write happened once or not at all.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A request that changed the service's state, whether or not its answer arrived.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Write = Schema.Struct({
  /** The number of the write, from 1, in the order of execution. */
  sequence: Schema.Int,
  at: Schema.DateTimeUtcFromMillis,
  vaultId: Schema.Int,
  /** The operation, such as `transactions.send`. */
  operation: Schema.String,
  /** A text by which tests can recognise the write: the first of `note`, `reason`, `name` and `externalId` in the request. */
  marker: Schema.optionalKey(Schema.String),
  /** The path parameters and the body. A file is recorded as its name, type, size and SHA-256. */
  input: Schema.Record(Schema.String, Schema.Unknown),
  /** The identifier of what was created or changed, if the answer has one. */
  id: Schema.optionalKey(Schema.String)
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Write extends Schema.Schema.Type<typeof Write> {}
