/**
 * The record of a wallet's transaction count.
 *
 * Specification: "Endpoint categories", Wallets: "Balances and transaction counts can be queried"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"

/** How many transactions a wallet has seen. Assumed beyond its `transactionCount`. */
export const TransactionCount = Lenient.struct({ transactionCount: Page.Count }, { walletId: Id.WalletId })
export type TransactionCount = typeof TransactionCount.Type
