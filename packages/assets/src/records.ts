/**
 * The records of assets. The specification names the symbol, the decimals, the contract address and the price of an
 * asset, and shows no field: those here are assumed.
 *
 * Specification: "Other resources"; "Endpoint categories", Assets.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Network } from "@effect-custody/core/Network"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Page from "@effect-custody/core/Page"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * A cryptocurrency or token on one network. Assumed beyond its `id`, `symbol` and `decimals`.
 *
 * @since 0.1.0
 * @category models
 */
export class Asset extends Lenient.Opaque<Asset>()(
  {
    id: Id.AssetId,
    symbol: Schema.String,
    /** The number of decimals of one unit. */
    decimals: Page.Count
  },
  {
    name: Schema.String,
    /** Where the asset is a contract on its network: a network's own coin has none. */
    contractAddress: Schema.String,
    type: OpenEnum("COIN", "TOKEN"),
    status: OpenEnum("ACTIVE", "INACTIVE"),
    logo: Schema.String,
    networkId: Id.NetworkId,
    network: Network,
    /** Of one unit, in the service's usual currency. */
    price: Amount
  }
) {}

/**
 * The price of an asset. Assumed beyond its `assetId`.
 *
 * @since 0.1.0
 * @category models
 */
export class AssetPrice extends Lenient.Opaque<AssetPrice>()(
  { assetId: Id.AssetId },
  {
    /** Of one unit, in `currency`; absent where the asset has no price. */
    price: Amount,
    currency: Schema.String,
    updatedAt: Timestamp
  }
) {}
