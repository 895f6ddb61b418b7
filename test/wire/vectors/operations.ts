/**
 * What goes over the wire for each operation, and what comes back. The wire of three is specified, and stands
 * there literally; the others are assumed, and follow one convention.
 */
import { assets, nfts, tokens } from "./assets.ts"
import { authentication, clients, vaults, wallets } from "./custody.ts"
import { fiatGateway, paymentOrders, transactions } from "./movements.ts"
import type { Operation } from "./operation.ts"

/** All, by the category's file. */
export const categories: Readonly<Record<string, ReadonlyArray<Operation>>> = {
  authentication,
  clients,
  wallets,
  vaults,
  transactions,
  assets,
  tokens,
  nfts,
  "payment-orders": paymentOrders,
  "fiat-gateway": fiatGateway
}
