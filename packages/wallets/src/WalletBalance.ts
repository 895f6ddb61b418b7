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
export class WalletBalance extends Lenient.Record<WalletBalance>()(
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
