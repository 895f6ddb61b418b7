/**
 * The assets of a vault, and what they cost.
 *
 * Specification: "Endpoint categories", Assets.
 */
import { AssetsApi } from "@effect-custody/assets/AssetsApi"
import * as Answer from "./answer.ts"
import { type Asset, assetsOf, currencies, priceIn, rateOf } from "./catalogue.ts"
import * as Category from "./category.ts"
import * as Dialect from "./dialect.ts"
import * as Ids from "./ids.ts"
import * as Listing from "./listing.ts"
import { amountOf } from "./money.ts"
import { present } from "./present.ts"
import { oneOf } from "./validation.ts"

const usualCurrency = "USD"

/** What assets are sorted and searched by. */
export const columns: Listing.Columns<Asset> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  symbol: ({ symbol }) => symbol,
  decimals: ({ decimals }) => decimals,
  networkId: ({ network }) => network.id,
  contractAddress: ({ contractAddress }) => contractAddress,
  price: ({ price }) => price
}

const shown = ({ contractAddress, decimals, id, name, network, price, symbol }: Asset) =>
  present({
    id: Ids.asset(id),
    symbol,
    decimals,
    name,
    contractAddress,
    type: contractAddress === undefined ? "COIN" : "TOKEN",
    status: "ACTIVE",
    networkId: network.id,
    network,
    price: price === undefined ? undefined : amountOf(price)
  })

export const assets = Category.define(AssetsApi, {
  list: ({ query, vault, world }) =>
    Listing.page(world, query, { message: "Assets", rows: [...assetsOf(vault).values()], columns, show: shown }),

  prices: ({ now, query: { assetIds, currency = usualCurrency }, vault, world }) => {
    const all = assetsOf(vault)
    const rate = rateOf(currency)
    if (rate === undefined) return Answer.invalid(Answer.validationCode, { currency: [oneOf(currencies)] })
    const strangers = (assetIds ?? []).filter((id) => !all.has(id))
    if (strangers.length > 0) {
      return Answer.invalid(Answer.validationCode, { assetIds: strangers.map((id) => `${id} is not an asset`) })
    }
    const wanted = assetIds === undefined ? [...all.values()] : assetIds.map((id) => all.get(id)!)
    const prices = wanted.map((asset) => {
      const price = priceIn(asset, rate)
      return present({
        assetId: Ids.asset(asset.id),
        price: price === undefined ? undefined : amountOf(price),
        currency: currency.toUpperCase(),
        updatedAt: Dialect.date(world, now)
      })
    })
    return Answer.granted("Asset prices", prices)
  }
})
