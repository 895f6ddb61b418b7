/**
 * The records of wallets. The specification says what they are, and shows no field: those here are assumed.
 *
 * Specification: "Other resources": "a blockchain address per client per network, with balance and transaction count".
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
import * as Schema from "effect/Schema"

/**
 * The asset of a wallet.
 *
 * @since 0.1.0
 * @category models
 */
export class WalletAsset extends Lenient.Opaque<WalletAsset>()(
  { id: Id.AssetId },
  {
    name: Schema.String,
    symbol: Schema.String,
    contractAddress: Schema.String,
    type: Lenient.OpenEnum("COIN", "TOKEN"),
    status: Lenient.OpenEnum("ACTIVE", "INACTIVE"),
    network: Lenient.Network
  }
) {}

/**
 * What a wallet holds of one asset. Assumed beyond its `balance`.
 *
 * @since 0.1.0
 * @category models
 */
export class WalletBalance extends Lenient.Opaque<WalletBalance>()(
  {
    /** In units of the asset. */
    balance: Amount
  },
  {
    /** The part that is not settled yet, in units of the asset. */
    pendingBalance: Amount,
    walletId: Id.WalletId,
    assetId: Id.AssetId
  }
) {}

/**
 * A client's blockchain address on one network. There is one for each client and network, so its balance is by asset.
 * Assumed beyond its `id` and `address`.
 *
 * @since 0.1.0
 * @category models
 */
export class Wallet extends Lenient.Opaque<Wallet>()(
  { id: Id.WalletId, address: Schema.String },
  {
    /** The client's externalId. Assumed: not the service's own `id` of the client. */
    clientId: Id.ClientId,
    /** The asset of `balance`: the one that the list was filtered by, otherwise the network's own coin. */
    assetId: Id.AssetId,
    networkId: Id.NetworkId,
    /** In units of the asset. */
    balance: Amount,
    /** The part that is not settled yet, in units of the asset. */
    pendingBalance: Amount,
    /** The balance of each asset that the wallet holds. */
    balances: Schema.Array(WalletBalance),
    transactionCount: Page.Count,
    asset: WalletAsset
  }
) {}

/**
 * The number of a wallet's transactions. Assumed beyond its `transactionCount`.
 *
 * @since 0.1.0
 * @category models
 */
export class TransactionCount extends Lenient.Opaque<TransactionCount>()(
  { transactionCount: Page.Count },
  { walletId: Id.WalletId }
) {}
