/**
 * The events of an emulator.
 *
 * @since 0.2.0
 */
import * as Schema from "effect/Schema"
import { Received } from "./Received.ts"
import { Write } from "./Write.ts"

/**
 * A transaction that was created, or whose status changed.
 *
 * @since 0.2.0
 * @category schemas
 */
export const TransactionChange = Schema.Struct({
  vaultId: Schema.Int,
  id: Schema.String,
  type: Schema.String,
  /** The new status, such as `PENDING` or `COMPLETED`. */
  status: Schema.String,
  clientIds: Schema.Array(Schema.String),
  /** In units of the asset, as a decimal. */
  amount: Schema.optionalKey(Schema.String),
  assetId: Schema.optionalKey(Schema.String),
  /** The currency of fiat money. */
  currency: Schema.optionalKey(Schema.String),
  to: Schema.optionalKey(Schema.String),
  note: Schema.optionalKey(Schema.String)
})
/**
 * @since 0.2.0
 * @category models
 */
export interface TransactionChange extends Schema.Schema.Type<typeof TransactionChange> {}

const common = {
  /** The number of the event, from 1. */
  sequence: Schema.Int,
  at: Schema.DateTimeUtcFromMillis
}

/**
 * An event: the exchange of a request ended (`Request`), the service carried out a write (`Write`), or a transaction was
 * created or changed its status (`Transaction`). Events contain no keys or tokens.
 *
 * @since 0.2.0
 * @category schemas
 */
export const EmulatorEvent = Schema.Union([
  Schema.TaggedStruct("Request", { ...common, request: Received }),
  Schema.TaggedStruct("Write", { ...common, write: Write }),
  Schema.TaggedStruct("Transaction", { ...common, transaction: TransactionChange })
])
/**
 * @since 0.2.0
 * @category models
 */
export type EmulatorEvent = typeof EmulatorEvent.Type
