/** Assets: cryptocurrencies and tokens, their prices, and the configuration of assets for a vault. */
import type { Amount } from "@effect-custody/core/Amount"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Page from "@effect-custody/core/Page"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Asset, AssetConfiguration } from "./records.ts"

export * from "./records.ts"

const section = "Endpoint categories, Assets"

/**
 * Reads one page of the assets that the service knows, with symbol, decimals, contract address and price.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Assets } from "@effect-custody/sdk"
 *
 * const program = Assets.list({ search: "usdc" })
 * ```
 */
export const list = Endpoint.list("assets.list", {
  route: "GET /assets",
  assumed: section,
  success: Asset
})

/**
 * Streams all assets, page by page. Fails as {@link list} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = (query: Page.Query = {}) => Page.stream(list, query)

/**
 * Reads one page of the vault's configuration of assets: which assets the vault uses, and how.
 *
 * `Vaults.assets` reads the assets that the vault holds, with their balances.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Assets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const used = Effect.map(Assets.configuration({ limit: 50 }), ({ items }) =>
 *   items.filter(({ enabled }) => enabled === true).map(({ assetId }) => assetId)
 * )
 * ```
 */
export const configuration = Endpoint.list("assets.configuration", {
  route: "GET /assets/configuration",
  assumed: section,
  success: AssetConfiguration
})

/**
 * Streams the vault's configuration of all assets, page by page. Fails as {@link configuration} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamConfiguration = (query: Page.Query = {}) => Page.stream(configuration, query)

/**
 * Reads the prices of assets: of all, or of those that a query matches. Each price is of one unit, in the service's usual
 * currency, by the asset's id. An asset without a price is not in the map.
 *
 * The specification has no endpoint of prices. They are fields of the records of {@link list}, which this function reads
 * to the end. Fails as {@link stream} does.
 *
 * @since 0.1.0
 * @category combinators
 * @example
 * ```ts
 * import { Assets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const bitcoin = Effect.map(Assets.prices(), (prices) => prices.get("btc"))
 * ```
 */
export const prices = (query: Page.Query = {}) =>
  Stream.runFold(
    stream(query),
    () => new Map<string, Amount>(),
    (prices, { id, price }) => (price === undefined ? prices : prices.set(id, price))
  ).pipe(Effect.map((prices): ReadonlyMap<string, Amount> => prices))

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { list, configuration }
