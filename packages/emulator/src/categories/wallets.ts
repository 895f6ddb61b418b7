/**
 * The wallets of a vault, read from its ledger.
 *
 * Specification: "Endpoint categories", Wallets.
 */
import * as WalletsSdk from "@effect-custody/wallets/Wallets"
import * as Answer from "../http/answer.ts"
import { view as assetView } from "./assets.ts"
import * as Category from "./category.ts"
import { findAsset, found } from "./checks.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { zero } from "../state/money.ts"

/** What a wallet holds of one asset. */
const balanceView = ({ asset, balance, held, id }: Ledger.Wallet) => ({
  balance,
  pendingBalance: held,
  walletId: id,
  assetId: asset.id
})

/** A wallet, with the balance of one of its assets in front. */
const view = (ledger: Ledger.Ledger, shown: Ledger.Wallet) => {
  const { address, asset, balance, clientId, held, id } = shown
  const all = ledger.ofWallet(id)
  return {
    id,
    address,
    clientId,
    assetId: asset.id,
    networkId: asset.network.id,
    balance,
    pendingBalance: held,
    balances: all.map(balanceView),
    transactionCount: all.reduce((sum, { transactions }) => sum + transactions, 0),
    asset: assetView(asset)
  }
}

const find = (ledger: Ledger.Ledger, walletId: string) => found(ledger.ofWallet(walletId)[0], "E51001")

export const wallets = Category.define(WalletsSdk.endpoints, {
  list: (call) => {
    const ledger = Ledger.at(call.vault, call.now)
    const { assetId } = call.input
    const held = [...ledger.holdings()]
    const seen = new Set<string>()
    const rows =
      assetId === undefined
        ? held.filter(({ id }) => !seen.has(id) && seen.add(id))
        : held.filter(({ asset }) => asset.id === assetId)
    return Listing.page(call, "Wallets", {
      rows,
      show: (wallet) => view(ledger, wallet),
      filters: ["clientId", "networkId"]
    })
  },

  *get({ input: { walletId }, now, vault }) {
    const ledger = Ledger.at(vault, now)
    return Answer.granted("Wallet", view(ledger, yield* find(ledger, walletId)))
  },

  *balance({ input: { assetId, walletId }, now, vault }) {
    const ledger = Ledger.at(vault, now)
    const coin = yield* find(ledger, walletId)
    if (assetId === undefined) return Answer.granted("Wallet balance", balanceView(coin))
    const asset = yield* findAsset(vault, { assetId, networkId: coin.asset.network.id }, "E51002")
    const held = ledger.ofWallet(walletId).find((one) => one.asset.id === asset.id)
    const none = Object.assign({}, coin, { asset, balance: zero, held: zero })
    return Answer.granted("Wallet balance", balanceView(held ?? none))
  },

  *transactionCount({ input: { walletId }, now, vault }) {
    const ledger = Ledger.at(vault, now)
    const { id, transactionCount } = view(ledger, yield* find(ledger, walletId))
    return Answer.granted("Wallet transaction count", { transactionCount, walletId: id })
  }
})
