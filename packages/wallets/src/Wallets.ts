/** Wallets: blockchain addresses tied to clients. Read them, their balances and their transaction counts. */
import { NotFound } from "@effect-custody/core/ApiError"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import type { InputInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import * as Schema from "effect/Schema"
import { TransactionCount, Wallet, WalletBalance } from "./records.ts"

export * from "./records.ts"

const section = "Endpoint categories, Wallets"

/** A balance or a count may have an id of its own. */
const ofWallet = { parameter: "walletId", idFields: ["walletId"] } as const

const filters = {
  /** The client's externalId, which is your own identifier, and not the service's `id`. */
  clientId: Schema.optionalKey(Id.named("ClientId")),
  assetId: Schema.optionalKey(Id.named("AssetId")),
  networkId: Schema.optionalKey(Id.named("NetworkId"))
}

/**
 * The input of {@link list}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ListInput extends Endpoint.InputOf<typeof filters>, Page.Query {}

/**
 * Reads one page of wallets, optionally filtered by client, asset and network.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Wallets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const addresses = Wallets.list({ clientId: "alice" }).pipe(
 *   Effect.map((page) => page.items.map((wallet) => wallet.address))
 * )
 * ```
 */
export const list: Endpoint.Endpoint<
  ListInput,
  Page.Page<Wallet>,
  Endpoint.ReadError | InputInvalid | UnconfirmedEndpoint
> = Endpoint.list("wallets.list", {
  route: "GET /wallets/client-wallets",
  assumed: section,
  query: filters,
  success: Wallet
})

/**
 * Streams all wallets that match, page by page. Fails as {@link list} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = (query: ListInput = {}) => Page.stream(list, query)

/**
 * Reads a wallet. Fails with `NotFound` if there is none with that id.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Wallets } from "@effect-custody/sdk"
 *
 * const program = Wallets.get({ walletId: "w-1" })
 * ```
 */
export const get = Endpoint.read("wallets.get", {
  route: "GET /wallets/:walletId",
  assumed: section,
  params: { walletId: Id.named("WalletId") },
  success: Wallet,
  errors: [NotFound],
  about: { parameter: "walletId", idFields: ["id", "walletId", "address"] }
})

/**
 * Reads the balance of a wallet in one asset, in units of that asset. Without an `assetId`, in the network's own coin.
 * Fails with `NotFound` if there is no wallet with that id.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Wallets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Wallets.balance({ walletId: "w-1", assetId: "usdc" }).pipe(Effect.map(({ balance }) => Amount.format(balance)))
 * ```
 */
export const balance = Endpoint.read("wallets.balance", {
  route: "GET /wallets/:walletId/balance",
  assumed: section,
  params: { walletId: Id.named("WalletId") },
  query: { assetId: Schema.optionalKey(Id.named("AssetId")) },
  success: WalletBalance,
  errors: [NotFound],
  about: ofWallet
})

/**
 * Reads the number of a wallet's transactions. Fails with `NotFound` if there is none with that id.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Wallets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const isUnused = Wallets.transactionCount({ walletId: "w-1" }).pipe(
 *   Effect.map(({ transactionCount }) => transactionCount === 0)
 * )
 * ```
 */
export const transactionCount = Endpoint.read("wallets.transactionCount", {
  route: "GET /wallets/:walletId/transaction-count",
  assumed: section,
  params: { walletId: Id.named("WalletId") },
  success: TransactionCount,
  errors: [NotFound],
  about: ofWallet
})

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { list, get, balance, transactionCount }
