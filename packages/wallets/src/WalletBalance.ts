/**
 * Specification: "Endpoint categories", Wallets: "Balances and transaction counts can be queried"; fields not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"

/**
 * The balance of a wallet. Assumed beyond its `balance`.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletBalance extends Lenient.Fields {
  /** In units of the asset. */
  readonly balance: Amount
  /** The part that is not settled yet, in units of the asset. */
  readonly pendingBalance?: Amount
  readonly walletId?: Id.WalletId
  readonly assetId?: Id.AssetId
}

/**
 * The codec of a {@link WalletBalance}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const WalletBalance = Lenient.struct<WalletBalance>(
  { balance: Amount },
  { pendingBalance: Amount, walletId: Id.WalletId, assetId: Id.AssetId }
)
