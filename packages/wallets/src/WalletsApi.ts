/** Specification: "Endpoint categories", Wallets; "Other endpoints": their wire is not shown, and is assumed here. */
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import * as Schema from "effect/Schema"
import { TransactionCount } from "./TransactionCount.ts"
import { Wallet } from "./Wallet.ts"
import { WalletBalance } from "./WalletBalance.ts"

const section = "Endpoint categories, Wallets"

/** A balance or a count may have an id of its own. */
const ofWallet = { parameter: "walletId", idFields: ["walletId"] } as const

/**
 * Wallets: blockchain addresses tied to clients.
 *
 * @since 0.1.0
 * @category contracts
 */
export class WalletsApi extends HttpContract.group("wallets").add(
  HttpContract.get("list", "/wallets/client-wallets", {
    query: {
      ...Page.query,
      clientId: Schema.optionalKey(Id.named("ClientId")),
      assetId: Schema.optionalKey(Id.named("AssetId")),
      networkId: Schema.optionalKey(Id.named("NetworkId"))
    },
    success: Page.envelope(Wallet),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("get", "/wallets/:walletId", {
    params: { walletId: Id.named("WalletId") },
    success: EndpointSpec.envelope(Wallet),
    error: ApiError.authenticatedResource
  }).pipe(
    EndpointSpec.assumed({
      safety: "read",
      section,
      about: { parameter: "walletId", idFields: ["id", "walletId", "address"] }
    })
  ),
  HttpContract.get("balance", "/wallets/:walletId/balance", {
    params: { walletId: Id.named("WalletId") },
    success: EndpointSpec.envelope(WalletBalance),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "read", section, about: ofWallet })),
  HttpContract.get("transactionCount", "/wallets/:walletId/transaction-count", {
    params: { walletId: Id.named("WalletId") },
    success: EndpointSpec.envelope(TransactionCount),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "read", section, about: ofWallet }))
) {}
