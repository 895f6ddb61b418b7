/**
 * The whole API: its categories, and the list of its operations.
 *
 * Specification: "Endpoint categories".
 *
 * @since 0.1.0
 */
import * as Assets from "@effect-custody/assets/Assets"
import * as Authentication from "@effect-custody/authentication/Authentication"
import * as Clients from "@effect-custody/clients/Clients"
import type * as Operation from "@effect-custody/core/siblings/Operation"
import * as FiatGateway from "@effect-custody/fiat-gateway/FiatGateway"
import * as Nfts from "@effect-custody/nfts/Nfts"
import * as PaymentOrders from "@effect-custody/payment-orders/PaymentOrders"
import * as Tokens from "@effect-custody/tokens/Tokens"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Vaults from "@effect-custody/vaults/Vaults"
import * as Wallets from "@effect-custody/wallets/Wallets"

const categories = {
  authentication: Authentication.endpoints,
  clients: Clients.endpoints,
  wallets: Wallets.endpoints,
  vaults: Vaults.endpoints,
  transactions: Transactions.endpoints,
  assets: Assets.endpoints,
  tokens: Tokens.endpoints,
  nfts: Nfts.endpoints,
  paymentOrders: PaymentOrders.endpoints,
  fiatGateway: FiatGateway.endpoints
}

const operations: ReadonlyArray<Operation.Any> = Object.values(categories).flatMap((endpoints) =>
  Object.values(endpoints)
)

/**
 * All ten categories, and every endpoint, in the order of the specification.
 *
 * @example
 * ```ts
 * import { CustodyApi } from "@effect-custody/sdk"
 *
 * const writes = CustodyApi.operations.filter(({ safety }) => safety === "write")
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const CustodyApi = { categories, operations }
