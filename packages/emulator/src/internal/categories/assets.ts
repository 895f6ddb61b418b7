/**
 * The assets of a vault, and their prices.
 *
 * Specification: "Endpoint categories", Assets.
 */
import { AssetsApi } from "@effect-custody/assets/AssetsApi"
import * as Answer from "../http/answer.ts"
import { type Asset, assetsOf, currencies, priceIn, rateOf } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as WireFormat from "../http/wireFormat.ts"
import * as Ids from "../state/ids.ts"
import * as Listing from "./listing.ts"
import { amountOf } from "../state/money.ts"
import { omitUndefined } from "./omitUndefined.ts"
import { oneOf } from "../http/validation.ts"

const defaultCurrency = "USD"

/** The columns of assets. */
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
  omitUndefined({
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

  prices: ({ now, query: { assetIds, currency = defaultCurrency }, vault, world }) => {
    const all = assetsOf(vault)
    const rate = rateOf(currency)
    if (rate === undefined) return Answer.invalid(Answer.validationCode, { currency: [oneOf(currencies)] })
    const unknown = (assetIds ?? []).filter((id) => !all.has(id))
    if (unknown.length > 0) {
      return Answer.invalid(Answer.validationCode, { assetIds: unknown.map((id) => `${id} is not an asset`) })
    }
    const wanted = assetIds === undefined ? [...all.values()] : assetIds.map((id) => all.get(id)!)
    const prices = wanted.map((asset) => {
      const price = priceIn(asset, rate)
      return omitUndefined({
        assetId: Ids.asset(asset.id),
        price: price === undefined ? undefined : amountOf(price),
        currency: currency.toUpperCase(),
        updatedAt: WireFormat.formatDate(world, now)
      })
    })
    return Answer.granted("Asset prices", prices)
  }
})
