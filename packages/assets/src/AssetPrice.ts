/** Specification: "Endpoint categories", Assets: "Query assets […] and their prices"; fields not shown. */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/**
 * The price of an asset. Assumed beyond its `assetId`.
 *
 * @since 0.1.0
 * @category models
 */
export interface AssetPrice extends Lenient.Fields {
  readonly assetId: Id.AssetId
  /** Of one unit, in `currency`; absent where the asset has no price. */
  readonly price?: Amount
  readonly currency?: string
  readonly updatedAt?: DateTime.Utc
}

/**
 * The codec of a {@link AssetPrice}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const AssetPrice = Lenient.struct<AssetPrice>(
  { assetId: Id.AssetId },
  { price: Amount, currency: Schema.String, updatedAt: Timestamp }
)
