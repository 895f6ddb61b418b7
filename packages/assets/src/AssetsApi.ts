/** Specification: "Endpoint categories", Assets; "Other endpoints": their wire is not shown, and is assumed here. */
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import { NonBlank } from "@effect-custody/core/unstable/Text"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import * as Schema from "effect/Schema"
import { Asset } from "./Asset.ts"
import { AssetPrice } from "./AssetPrice.ts"

const section = "Endpoint categories, Assets"

/**
 * Assets: cryptocurrencies and tokens, and their prices.
 *
 * @since 0.1.0
 * @category contracts
 */
export class AssetsApi extends HttpContract.group("assets").add(
  HttpContract.get("list", "/assets", {
    query: Page.query,
    success: Page.envelope(Asset),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("prices", "/assets/prices", {
    query: {
      assetIds: Schema.optionalKey(
        Schema.Array(Id.named("AssetId")).pipe(Schema.check(Schema.isMinLength(1, { message: "should name an asset" })))
      ),
      currency: Schema.optionalKey(NonBlank)
    },
    success: EndpointSpec.envelope(Schema.Array(AssetPrice)),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section }))
) {}
