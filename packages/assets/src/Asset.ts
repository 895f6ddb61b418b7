/**
 * Specification: "Other resources": "Asset: associated with a blockchain network; has symbol, decimals, contract
 * address and pricing information. Exact field names and types: not shown."
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Page from "@effect-custody/core/Page"
import * as Schema from "effect/Schema"

/**
 * A cryptocurrency or token on one network. Assumed beyond its `id`, `symbol` and `decimals`.
 *
 * @since 0.1.0
 * @category models
 */
export class Asset extends Lenient.Record<Asset>()(
  { id: Id.AssetId, symbol: Schema.String /** The number of decimals of one unit. */, decimals: Page.Count },
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
