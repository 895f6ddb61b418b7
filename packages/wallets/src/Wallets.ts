/** The blockchain addresses of clients: what they are, what they hold, how often they were used. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Page from "@effect-custody/core/Page"
import { WalletsApi } from "./WalletsApi.ts"

// The records of this category, under its name.
export { TransactionCount } from "./TransactionCount.ts"
export { Wallet } from "./Wallet.ts"
export { WalletBalance } from "./WalletBalance.ts"

/**
 * One page of wallets, of one client, asset or network if you say so.
 *
 * Specification: "Endpoint categories", Wallets. The wire is assumed: `GET /wallets/client-wallets`.
 *
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
export const list = Endpoint.list(WalletsApi, "list")

/**
 * All wallets that {@link list} would give, read page after page as they are taken. Fails as it does.
 *
 * @example
 * ```ts
 * import { Wallets } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = Wallets.stream({ networkId: "ethereum" }).pipe(Stream.runCollect)
 * ```
 */
export const stream = (query: Parameters<typeof list>[0] = {}) => Page.stream(list, query)

/**
 * A wallet. Fails with `NotFound` if there is none of that id.
 *
 * Specification: "Endpoint categories", Wallets. The wire is assumed: `GET /wallets/:walletId`.
 *
 * @example
 * ```ts
 * import { Wallets } from "@effect-custody/sdk"
 *
 * const program = Wallets.get({ walletId: "w-1" })
 * ```
 */
export const get = Endpoint.make(WalletsApi, "get")

/**
 * What a wallet holds, in units of its asset. Fails with `NotFound` if there is no wallet of that id.
 *
 * Specification: "Endpoint categories", Wallets. The wire is assumed: `GET /wallets/:walletId/balance`.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Wallets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { balance } = yield* Wallets.balance({ walletId: "w-1" })
 *   yield* Effect.log(Amount.format(balance))
 * })
 * ```
 */
export const balance = Endpoint.make(WalletsApi, "balance")

/**
 * How many transactions a wallet has seen. Fails with `NotFound` if there is no wallet of that id.
 *
 * Specification: "Endpoint categories", Wallets. The wire is assumed: `GET /wallets/:walletId/transaction-count`.
 *
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
export const transactionCount = Endpoint.make(WalletsApi, "transactionCount")
