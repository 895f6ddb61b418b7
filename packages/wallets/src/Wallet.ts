/**
 * The record of a wallet.
 *
 * Specification: "Other resources": "Wallet: a blockchain address per client per network, with balance and transaction
 * count. Field names: not shown."
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Page from "@effect-custody/core/Page"
import * as Schema from "effect/Schema"

/** What a wallet says of its asset. */
const WalletAsset = Lenient.struct(
  { id: Id.AssetId },
  {
    name: Schema.String,
    symbol: Schema.String,
    contractAddress: Schema.String,
    type: OpenEnum("COIN", "TOKEN"),
    status: OpenEnum("ACTIVE", "INACTIVE"),
    network: Network
  }
)

/** A client's blockchain address on one network. Assumed beyond its `id` and `address`. */
export const Wallet = Lenient.struct(
  { id: Id.WalletId, address: Schema.String },
  {
    clientId: Id.ClientId,
    assetId: Id.AssetId,
    networkId: Id.NetworkId,
    /** In units of the asset. */
    balance: Amount,
    /** What is on its way, in units of the asset. */
    pendingBalance: Amount,
    transactionCount: Page.Count,
    asset: WalletAsset
  }
)
export type Wallet = typeof Wallet.Type
