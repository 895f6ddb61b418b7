/** Wallets: the blockchain addresses of clients, their balances and their transaction counts. */
import type { NotFound } from "@effect-custody/core/ApiError"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Endpoint from "@effect-custody/core/Endpoint"
import type * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import type { RequestInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import type * as Stream from "effect/Stream"
import type { TransactionCount } from "./TransactionCount.ts"
import type { Wallet } from "./Wallet.ts"
import type { WalletBalance } from "./WalletBalance.ts"
import { WalletsApi } from "./WalletsApi.ts"

export { TransactionCount } from "./TransactionCount.ts"
export { Wallet } from "./Wallet.ts"
export { WalletBalance } from "./WalletBalance.ts"

/**
 * The input of {@link list}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ListInput extends Page.Query {
  readonly clientId?: Id.Named<"ClientId"> | undefined
  readonly assetId?: Id.Named<"AssetId"> | undefined
  readonly networkId?: Id.Named<"NetworkId"> | undefined
}

/**
 * The errors of {@link list}.
 *
 * @since 0.1.0
 * @category errors
 */
export type ListError = Endpoint.ReadError | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads one page of wallets, optionally filtered by client, asset and network.
 *
 * Specification: "Endpoint categories", Wallets. The wire is assumed: `GET /wallets/client-wallets`.
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
export const list: Endpoint.Endpoint<ListInput, Page.Page<Wallet>, ListError> = Endpoint.list(WalletsApi, "list")

/**
 * The errors of {@link stream}.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamError = ListError | Page.PagingError

/**
 * Streams all wallets that match, page by page. Fails as {@link list} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = (query: ListInput = {}): Stream.Stream<Wallet, StreamError, CustodyClient> =>
  Page.stream(list, query)

/**
 * The input of a read of one wallet.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface GetInput {
  readonly walletId: Id.Named<"WalletId">
}

/**
 * The errors of a read of one wallet.
 *
 * @since 0.1.0
 * @category errors
 */
export type GetError = Endpoint.ReadError | NotFound | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads a wallet. Fails with `NotFound` if there is none with that id.
 *
 * Specification: "Endpoint categories", Wallets. The wire is assumed: `GET /wallets/:walletId`.
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
export const get: Endpoint.Endpoint<GetInput, Wallet, GetError> = Endpoint.make(WalletsApi, "get")

/**
 * Reads the balance of a wallet, in units of its asset. Fails with `NotFound` if there is none with that id.
 *
 * Specification: "Endpoint categories", Wallets. The wire is assumed: `GET /wallets/:walletId/balance`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Wallets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Wallets.balance({ walletId: "w-1" }).pipe(Effect.map(({ balance }) => Amount.format(balance)))
 * ```
 */
export const balance: Endpoint.Endpoint<GetInput, WalletBalance, GetError> = Endpoint.make(WalletsApi, "balance")

/**
 * Reads the number of a wallet's transactions. Fails with `NotFound` if there is none with that id.
 *
 * Specification: "Endpoint categories", Wallets. The wire is assumed: `GET /wallets/:walletId/transaction-count`.
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
export const transactionCount: Endpoint.Endpoint<GetInput, TransactionCount, GetError> = Endpoint.make(
  WalletsApi,
  "transactionCount"
)
