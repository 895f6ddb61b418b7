/**
 * The wallets of a vault, read from its ledger.
 *
 * Specification: "Endpoint categories", Wallets.
 */
import { WalletsApi } from "@effect-custody/wallets/WalletsApi"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import type { Asset } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as Ids from "../state/ids.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { amountOf } from "../state/money.ts"
import { omitUndefined } from "./omitUndefined.ts"

/** Finds a wallet by id. */
export const findWallet = (
  ledger: Ledger.Ledger,
  walletId: string,
  unknownCode: string
): Result.Result<Ledger.Wallet, Answer.Refused> =>
  Result.fromNullishOr(ledger.wallets.get(walletId), () => Answer.notFound(unknownCode, "Wallet not found"))

const assetOf = ({ contractAddress, id, name, network, symbol }: Asset) =>
  omitUndefined({
    id: Ids.asset(id),
    name,
    symbol,
    contractAddress,
    type: contractAddress === undefined ? "COIN" : "TOKEN",
    status: "ACTIVE",
    network
  })

const shown = ({ address, asset, balance, clientId, held, id, transactions }: Ledger.Wallet) =>
  omitUndefined({
    id: Ids.wallet(id),
    address,
    clientId: clientId === undefined ? undefined : Ids.client(clientId),
    assetId: Ids.asset(asset.id),
    networkId: asset.network.id,
    balance: amountOf(balance),
    pendingBalance: amountOf(held),
    transactionCount: transactions,
    asset: assetOf(asset)
  })

const columns: Listing.Columns<Ledger.Wallet> = {
  id: ({ id }) => Number(id),
  address: ({ address }) => address,
  clientId: ({ clientId }) => clientId,
  assetId: ({ asset }) => asset.id,
  networkId: ({ asset }) => asset.network.id,
  balance: ({ balance }) => balance,
  pendingBalance: ({ held }) => held,
  transactionCount: ({ transactions }) => transactions
}

const unknown: InventedCode = "E51001"

export const wallets = Category.define(WalletsApi, {
  list: ({ now, query, vault, world }) => {
    const { assetId, clientId, networkId } = query
    const rows = [...Ledger.at(vault, now).wallets.values()].filter(
      (wallet) =>
        (clientId === undefined || wallet.clientId === clientId) &&
        (assetId === undefined || wallet.asset.id === assetId) &&
        (networkId === undefined || wallet.asset.network.id === networkId)
    )
    return Listing.page(world, query, { message: "Wallets", rows, columns, show: shown })
  },

  get: ({ now, params: { walletId }, vault }) =>
    Result.merge(
      Result.map(findWallet(Ledger.at(vault, now), walletId, unknown), (wallet) =>
        Answer.granted("Wallet", shown(wallet))
      )
    ),

  balance: ({ now, params: { walletId }, vault }) =>
    Result.merge(
      Result.map(findWallet(Ledger.at(vault, now), walletId, unknown), ({ asset, balance, held, id }) =>
        Answer.granted("Wallet balance", {
          balance: amountOf(balance),
          pendingBalance: amountOf(held),
          walletId: Ids.wallet(id),
          assetId: Ids.asset(asset.id)
        })
      )
    ),

  transactionCount: ({ now, params: { walletId }, vault }) =>
    Result.merge(
      Result.map(findWallet(Ledger.at(vault, now), walletId, unknown), ({ id, transactions }) =>
        Answer.granted("Wallet transaction count", { transactionCount: transactions, walletId: Ids.wallet(id) })
      )
    )
})

/** The total of an asset in a vault, including amounts in flight. */
export const heldOf = ({ wallets }: Ledger.Ledger, asset: Asset): BigDecimal.BigDecimal =>
  BigDecimal.sumAll(
    [...wallets.values()]
      .filter((wallet) => wallet.asset.id === asset.id)
      .flatMap(({ balance, held }) => [balance, held])
  )
