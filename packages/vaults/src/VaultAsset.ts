/**
 * Specification: "Endpoint categories", Vaults: "holds clients, wallets and assets"; Assets: "view asset configuration
 * for a vault"; fields not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
import * as Schema from "effect/Schema"

/**
 * An asset of the vault. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export interface VaultAsset extends Lenient.Fields {
  readonly id: Id.AssetId
  readonly name?: string
  readonly symbol?: string
  readonly decimals?: number
  readonly contractAddress?: string
  readonly networkId?: Id.NetworkId
  readonly network?: Network
  /** The balance of the whole vault, in units of the asset. */
  readonly balance?: Amount
}

/**
 * The codec of a {@link VaultAsset}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const VaultAsset = Lenient.struct<VaultAsset>(
  { id: Id.AssetId },
  {
    name: Schema.String,
    symbol: Schema.String,
    decimals: Page.Count,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Network,
    balance: Amount
  }
)
