/**
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

/**
 * The asset of a wallet.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletAsset extends Lenient.Fields {
  readonly id: Id.AssetId
  readonly name?: string
  readonly symbol?: string
  readonly contractAddress?: string
  readonly type?: OpenEnum<"COIN" | "TOKEN">
  readonly status?: OpenEnum<"ACTIVE" | "INACTIVE">
  readonly network?: Network
}

const WalletAsset = Lenient.struct<WalletAsset>(
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

/**
 * A client's blockchain address on one network. Assumed beyond its `id` and `address`.
 *
 * @since 0.1.0
 * @category models
 */
export class Wallet extends Lenient.Record<Wallet>()(
  { id: Id.WalletId, address: Schema.String },
  {
    clientId: Id.ClientId,
    assetId: Id.AssetId,
    networkId: Id.NetworkId,
    /** In units of the asset. */
    balance: Amount,
    /** The part that is not settled yet, in units of the asset. */
    pendingBalance: Amount,
    transactionCount: Page.Count,
    asset: WalletAsset
  }
) {}
