/**
 * The assets of a vault, and their prices.
 *
 * Specification: "Endpoint categories", Assets.
 */
import * as AssetsSdk from "@effect-custody/assets/Assets"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Answer from "../http/answer.ts"
import { type Asset, vaultAssets, priceIn } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import { parseCurrency } from "./checks.ts"
import * as Listing from "./listing.ts"

/** The fields of an asset in an answer about a wallet. */
export const view = ({ contractAddress, id, name, network, symbol }: Asset) => ({
  id,
  name,
  symbol,
  contractAddress,
  type: contractAddress === undefined ? "COIN" : "TOKEN",
  status: "ACTIVE",
  network
})

export const assets = Category.define(AssetsSdk.endpoints, {
  list: (call) =>
    Listing.page(call, "Assets", {
      rows: vaultAssets(call.vault).values(),
      show: (asset) => ({
        ...view(asset),
        decimals: asset.decimals,
        networkId: asset.network.id,
        price: asset.price
      })
    }),

  *prices({ now, input: { assetIds, currency: requested = "USD" }, vault }) {
    const all = vaultAssets(vault)
    const currency = yield* parseCurrency(requested)
    const wanted = assetIds ?? [...all.keys()]
    const unknown = wanted.filter((id) => !all.has(id))
    if (unknown.length > 0) {
      yield* Result.fail(Answer.invalid({ assetIds: unknown.map((id) => `${id} is not an asset`) }))
    }
    const prices = wanted.map((assetId) => ({
      assetId,
      price: priceIn(all.get(assetId)!, currency),
      currency,
      updatedAt: DateTime.makeUnsafe(now)
    }))
    return Answer.granted("Asset prices", prices)
  }
})
