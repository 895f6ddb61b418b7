/** Assets: cryptocurrencies and tokens, and their prices. */
export { Asset } from "./Asset.ts"
export { AssetPrice } from "./AssetPrice.ts"
export * as Assets from "./Assets.ts"
