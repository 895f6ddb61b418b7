/** Cryptocurrencies and tokens, and what they cost. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Page from "@effect-custody/core/Page"
import { AssetsApi } from "./AssetsApi.ts"

// The records of this category, under its name.
export { Asset } from "./Asset.ts"
export { AssetPrice } from "./AssetPrice.ts"

/**
 * One page of the assets that the service knows.
 *
 * Specification: "Endpoint categories", Assets. The wire is assumed: `GET /assets`.
 *
 * @example
 * ```ts
 * import { Assets } from "@effect-custody/sdk"
 *
 * const program = Assets.list({ search: "usdc" })
 * ```
 */
export const list = Endpoint.list(AssetsApi, "list")

/**
 * All assets, read page after page as they are taken. Fails as {@link list} does.
 *
 * @example
 * ```ts
 * import { Assets } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const tokens = Assets.stream().pipe(Stream.filter((asset) => asset.contractAddress !== undefined))
 * ```
 */
export const stream = (query: Parameters<typeof list>[0] = {}) => Page.stream(list, query)

/**
 * Prices of assets, each of one unit: of those that are named, or of all, in the currency that is named, or in the
 * service's usual one.
 *
 * Specification: "Endpoint categories", Assets. The wire is assumed: `GET /assets/prices`, `assetIds` once per asset.
 *
 * @example
 * ```ts
 * import { Assets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const [bitcoin] = yield* Assets.prices({ assetIds: ["btc"], currency: "EUR" })
 *   return bitcoin?.price
 * })
 * ```
 */
export const prices = Endpoint.make(AssetsApi, "prices")
