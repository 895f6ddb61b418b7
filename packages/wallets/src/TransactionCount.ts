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
export interface TransactionCount extends Lenient.Fields {
  readonly transactionCount: number
  readonly walletId?: Id.WalletId
}

/**
 * The codec of a {@link TransactionCount}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const TransactionCount = Lenient.struct<TransactionCount>(
  { transactionCount: Page.Count },
  { walletId: Id.WalletId }
)
