/**
 * The record of an asset in a vault.
 *
 * Specification: "Endpoint categories", Vaults: "holds clients, wallets and assets"; Assets: "view asset configuration
 * for a vault"; fields not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
import * as Schema from "effect/Schema"

/** An asset as the vault holds it. Assumed beyond its `id`. */
export const VaultAsset = Lenient.struct(
  { id: Id.AssetId },
  {
    name: Schema.String,
    symbol: Schema.String,
    decimals: Page.Count,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Network,
    /** What the whole vault holds, in units of the asset. */
    balance: Amount
  }
)
export type VaultAsset = typeof VaultAsset.Type
