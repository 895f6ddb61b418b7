/**
 * The record of an asset's price.
 *
 * Specification: "Endpoint categories", Assets: "Query assets […] and their prices"; fields not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/** What an asset costs. Assumed beyond its `assetId`. */
export const AssetPrice = Lenient.struct(
  { assetId: Id.AssetId },
  {
    /** Of one unit, in `currency`; absent where the asset has no price. */
    price: Amount,
    currency: Schema.String,
    updatedAt: Schema.String
  }
)
export type AssetPrice = typeof AssetPrice.Type
