/** Assets: cryptocurrencies and tokens, and their prices. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import type { RequestInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import { NonBlank } from "@effect-custody/core/Text"
import * as Schema from "effect/Schema"
import { Asset, AssetPrice } from "./records.ts"

export * from "./records.ts"

const section = "Endpoint categories, Assets"

/**
 * Reads one page of the assets that the service knows.
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

const priceFilters = {
  /** Default: all assets. */
  assetIds: Schema.optionalKey(
    Schema.Array(Id.named("AssetId")).pipe(Schema.check(Schema.isMinLength(1, { message: "should name an asset" })))
  ),
  /** Default: the service's usual currency. */
  currency: Schema.optionalKey(NonBlank)
}

/**
 * The input of {@link prices}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface PricesInput extends Endpoint.InputOf<typeof priceFilters> {}

/**
 * Reads the prices of assets, each for one unit, optionally filtered by asset and in a currency of your choice.
 *
 * The query repeats `assetIds` for each asset.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Assets } from "@effect-custody/sdk"
 *
 * const program = Assets.prices({ assetIds: ["btc"], currency: "EUR" })
 * ```
 */
export const prices: Endpoint.Endpoint<
  PricesInput,
  ReadonlyArray<AssetPrice>,
  Endpoint.ReadError | RequestInvalid | UnconfirmedEndpoint
> = Endpoint.read("assets.prices", {
  route: "GET /assets/prices",
  assumed: section,
  query: priceFilters,
  success: Schema.Array(AssetPrice)
})

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { list, prices }
