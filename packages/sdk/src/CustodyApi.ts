/**
 * The whole API: its categories, and the table of its operations.
 *
 * Specification: "Endpoint categories".
 *
 * @since 0.1.0
 */
import * as Assets from "@effect-custody/assets/Assets"
import * as Authentication from "@effect-custody/authentication/Authentication"
import * as Clients from "@effect-custody/clients/Clients"
import type * as Declaration from "@effect-custody/core/unstable/Declaration"
import * as FiatGateway from "@effect-custody/fiat-gateway/FiatGateway"
import * as Nfts from "@effect-custody/nfts/Nfts"
import * as PaymentOrders from "@effect-custody/payment-orders/PaymentOrders"
import * as Tokens from "@effect-custody/tokens/Tokens"
import * as Transactions from "@effect-custody/transactions/Transactions"
import * as Vaults from "@effect-custody/vaults/Vaults"
import * as Wallets from "@effect-custody/wallets/Wallets"

/**
 * The facts of an operation apart from its schemas.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation {
  /** The name, such as `transactions.send`. */
  readonly name: string
  /** The category, such as `transactions`. */
  readonly category: string
  readonly method: string
  /** Relative to the base address. */
  readonly path: string
  readonly provenance: Declaration.Provenance
  readonly safety: Declaration.Safety
}

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

const operations: ReadonlyArray<Operation> = Object.entries(categories).flatMap(([category, endpoints]) =>
  Object.values<Declaration.Declaration>(endpoints).map(
    ({ operation, provenance, route: { method, path }, safety }) => ({
      name: operation,
      category,
      method,
      path,
      provenance,
      safety
    })
  )
)

/**
 * All ten categories, and every operation, in the order of the specification.
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
