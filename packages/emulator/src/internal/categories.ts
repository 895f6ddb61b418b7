/** Every category that the emulator plays: one line each. */
import { assets } from "./assets.ts"
import { authentication } from "./authentication.ts"
import type { Category } from "./category.ts"
import { clients } from "./clients.ts"
import { transactions } from "./transactions.ts"
import { vaults } from "./vaults.ts"
import { wallets } from "./wallets.ts"

export const categories: ReadonlyArray<Category> = [authentication, clients, wallets, vaults, transactions, assets]
