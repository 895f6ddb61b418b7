/**
 * The wallets of a vault, read from its ledger.
 *
 * Specification: "Endpoint categories", Wallets.
 */
import * as WalletsSdk from "@effect-custody/wallets/Wallets"
import * as Answer from "../http/answer.ts"
import { view as assetView } from "./assets.ts"
import * as Category from "./category.ts"
import { found } from "./checks.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import type { Vault } from "../state/world.ts"

const view = ({ address, asset, balance, clientId, held, id, transactions }: Ledger.Wallet) => ({
  id,
  address,
  clientId,
  assetId: asset.id,
  networkId: asset.network.id,
  balance,
  pendingBalance: held,
  transactionCount: transactions,
  asset: assetView(asset)
})

const find = ({ input, now, vault }: { readonly now: number; readonly input: OfWallet; readonly vault: Vault }) =>
  found(Ledger.at(vault, now).wallets.get(input.walletId), "E51001")

interface OfWallet {
  readonly walletId: string
}

export const wallets = Category.define(WalletsSdk.endpoints, {
  list: (call) =>
    Listing.page(call, "Wallets", {
      rows: Ledger.at(call.vault, call.now).wallets.values(),
      show: view,
      filters: ["assetId", "clientId", "networkId"]
    }),

  *get(call) {
    return Answer.granted("Wallet", view(yield* find(call)))
  },

  *balance(call) {
    const { assetId, balance, id, pendingBalance } = view(yield* find(call))
    return Answer.granted("Wallet balance", { balance, pendingBalance, walletId: id, assetId })
  },

  *transactionCount(call) {
    const { id, transactions } = yield* find(call)
    return Answer.granted("Wallet transaction count", { transactionCount: transactions, walletId: id })
  }
})
