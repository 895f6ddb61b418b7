/**
 * The record of a wallet's balance.
 *
 * Specification: "Endpoint categories", Wallets: "Balances and transaction counts can be queried"; fields not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"

/** What a wallet holds. Assumed beyond its `balance`. */
export const WalletBalance = Lenient.struct(
  {
    /** In units of the asset. */
    balance: Amount
  },
  {
    /** What is on its way, in units of the asset. */
    pendingBalance: Amount,
    walletId: Id.WalletId,
    assetId: Id.AssetId
  }
)
export type WalletBalance = typeof WalletBalance.Type
