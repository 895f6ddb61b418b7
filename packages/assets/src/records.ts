/**
 * The records of assets. The specification names the symbol, the decimals, the contract address and the price of an
 * asset, and shows no field: those here are assumed.
 *
 * Specification: "Other resources"; "Endpoint categories", Assets.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
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
    type: Lenient.OpenEnum("COIN", "TOKEN"),
    status: Lenient.OpenEnum("ACTIVE", "INACTIVE"),
    logo: Schema.String,
    networkId: Id.NetworkId,
    network: Lenient.Network,
    /** Of one unit, in the service's usual currency. */
    price: Amount
  }
) {}

/**
 * How a vault uses an asset. The specification shows none of its fields: those here are assumed, and others are under
 * `extra`.
 *
 * @since 0.1.0
 * @category models
 */
export class AssetConfiguration extends Lenient.Opaque<AssetConfiguration>()(
  {},
  {
    assetId: Id.AssetId,
    networkId: Id.NetworkId,
    /** `true` if the vault takes and sends the asset. */
    enabled: Schema.Boolean
  }
) {}
