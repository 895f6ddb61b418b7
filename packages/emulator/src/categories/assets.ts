/**
 * The assets of a vault, their prices, and their configuration.
 *
 * Specification: "Endpoint categories", Assets.
 */
import * as AssetsSdk from "@effect-custody/assets/Assets"
import { type Asset, vaultAssets } from "../state/catalogue.ts"
import * as Category from "./category.ts"
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

  configuration: (call) =>
    Listing.page(call, "Asset configuration", {
      rows: vaultAssets(call.vault).values(),
      show: ({ id, network }) => ({ assetId: id, networkId: network.id, enabled: true })
    })
})
