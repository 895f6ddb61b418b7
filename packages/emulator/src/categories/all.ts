/** Every category of the API. */
import { assets } from "./assets.ts"
import { authentication } from "./authentication.ts"
import type { Category } from "./category.ts"
import { clients } from "./clients.ts"
import { fiatGateway } from "./fiatGateway.ts"
import { nfts } from "./nfts.ts"
import { paymentOrders } from "./paymentOrders.ts"
import { tokens } from "./tokens.ts"
import { transactions } from "./transactions.ts"
import { vaults } from "./vaults.ts"
import { wallets } from "./wallets.ts"

export const categories: ReadonlyArray<Category> = [
  authentication,
  clients,
  wallets,
  vaults,
  transactions,
  assets,
  tokens,
  nfts,
  paymentOrders,
  fiatGateway
]
