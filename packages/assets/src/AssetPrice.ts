/** Specification: "Endpoint categories", Assets: "Query assets […] and their prices"; fields not shown. */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * The price of an asset. Assumed beyond its `assetId`.
 *
 * @since 0.1.0
 * @category models
 */
export class AssetPrice extends Lenient.Record<AssetPrice>()(
  { assetId: Id.AssetId },
  {
    /** Of one unit, in `currency`; absent where the asset has no price. */
    price: Amount,
    currency: Schema.String,
    updatedAt: Timestamp
  }
) {}
