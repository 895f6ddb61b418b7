/**
 * Specification: "Endpoint categories", Wallets: "Balances and transaction counts can be queried"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"

/**
 * The number of a wallet's transactions. Assumed beyond its `transactionCount`.
 *
 * @since 0.1.0
 * @category models
 */
export class TransactionCount extends Lenient.Record<TransactionCount>()(
  { transactionCount: Page.Count },
  { walletId: Id.WalletId }
) {}
