/** Assets: cryptocurrencies and tokens, and their prices. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import type { RequestInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import { NonBlank } from "@effect-custody/core/unstable/Text"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { Asset } from "./Asset.ts"
import { AssetPrice } from "./AssetPrice.ts"

export { Asset } from "./Asset.ts"
export { AssetPrice } from "./AssetPrice.ts"

const section = "Endpoint categories, Assets"

/**
 * The errors of a read of a page.
 *
 * @since 0.1.0
 * @category errors
 */
export type ListError = Endpoint.ReadError | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads one page of the assets that the service knows.
 *
 * Specification: "Endpoint categories", Assets. The wire is assumed: `GET /assets`.
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
  provenance: "assumed",
  section,
  success: Asset
})

/**
 * The errors of {@link stream}.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamError = ListError | Page.PagingError

/**
 * Streams all assets, page by page. Fails as {@link list} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = (query: Page.Query = {}): Stream.Stream<Asset, StreamError, CustodyClient> =>
  Page.stream(list, query)

/**
 * The input of {@link prices}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface PricesInput {
  /** Default: all assets. */
  readonly assetIds?: ReadonlyArray<Id.Named<"AssetId">> | undefined
  /** Default: the service's usual currency. */
  readonly currency?: string | undefined
}

/**
 * Reads the prices of assets, each for one unit, optionally filtered by asset and in a currency of your choice.
 *
 * Specification: "Endpoint categories", Assets. The wire is assumed: `GET /assets/prices`, `assetIds` once per asset.
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
export const prices = Endpoint.read("assets.prices", {
  route: "GET /assets/prices",
  provenance: "assumed",
  section,
  query: {
    assetIds: Schema.optionalKey(
      Schema.Array(Id.named("AssetId")).pipe(Schema.check(Schema.isMinLength(1, { message: "should name an asset" })))
    ),
    currency: Schema.optionalKey(NonBlank)
  },
  success: Schema.Array(AssetPrice)
})
