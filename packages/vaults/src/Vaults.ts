/** The vault that the session belongs to, and what it holds and obeys. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Page from "@effect-custody/core/Page"
import { VaultsApi } from "./VaultsApi.ts"

// The records of this category, under its name.
export { Approval } from "./Approval.ts"
export { GasStationCategory } from "./GasStationCategory.ts"
export { NetworkSetting } from "./NetworkSetting.ts"
export { PaymentPolicy } from "./PaymentPolicy.ts"
export { Vault } from "./Vault.ts"
export { VaultAsset } from "./VaultAsset.ts"
export { VaultConfiguration } from "./VaultConfiguration.ts"

/**
 * The vault's details.
 *
 * Specification: "Other endpoints": method and path are specified, the response's fields are not shown.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const vault = yield* Vaults.details()
 *   yield* Effect.log(vault.name)
 * })
 * ```
 */
export const details = Endpoint.make(VaultsApi, "details")

/**
 * How the vault is set up, field by field as the service sends it.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/configuration`.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const fields = Effect.map(Vaults.configuration(), (configuration) => Object.keys(configuration))
 * ```
 */
export const configuration = Endpoint.make(VaultsApi, "configuration")

/**
 * One page of the vault's assets. Balances are in units of each asset.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/assets`.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const symbols = Effect.map(Vaults.assets(), (page) => page.items.map((asset) => asset.symbol))
 * ```
 */
export const assets = Endpoint.list(VaultsApi, "assets")

/**
 * All assets of the vault, read page after page as they are taken. Fails as {@link assets} does.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = Vaults.streamAssets().pipe(Stream.runCollect)
 * ```
 */
export const streamAssets = (query: Parameters<typeof assets>[0] = {}) => Page.stream(assets, query)

/**
 * One page of the networks that the vault uses.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/networks`.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const ids = Effect.map(Vaults.networks(), (page) => page.items.map((network) => network.id))
 * ```
 */
export const networks = Endpoint.list(VaultsApi, "networks")

/**
 * All networks of the vault, read page after page as they are taken. Fails as {@link networks} does.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = Vaults.streamNetworks().pipe(Stream.runCollect)
 * ```
 */
export const streamNetworks = (query: Parameters<typeof networks>[0] = {}) => Page.stream(networks, query)

/**
 * One page of the vault's network settings.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/network-settings`.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.networkSettings({ limit: 50 })
 * ```
 */
export const networkSettings = Endpoint.list(VaultsApi, "networkSettings")

/**
 * All network settings of the vault, read page after page as they are taken. Fails as {@link networkSettings} does.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = Vaults.streamNetworkSettings().pipe(Stream.runCollect)
 * ```
 */
export const streamNetworkSettings = (query: Parameters<typeof networkSettings>[0] = {}) =>
  Page.stream(networkSettings, query)

/**
 * One page of the vault's approvals: what somebody has to agree to, or has.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/approvals`.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.approvals({ order: "desc", limit: 20 })
 * ```
 */
export const approvals = Endpoint.list(VaultsApi, "approvals")

/**
 * All approvals of the vault, read page after page as they are taken. Fails as {@link approvals} does.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const pending = Vaults.streamApprovals().pipe(Stream.filter((approval) => approval.status === "PENDING"))
 * ```
 */
export const streamApprovals = (query: Parameters<typeof approvals>[0] = {}) => Page.stream(approvals, query)

/**
 * An approval. Fails with `NotFound` if there is none of that id.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/approvals/:approvalId`.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.approval({ approvalId: "a-1" })
 * ```
 */
export const approval = Endpoint.make(VaultsApi, "approval")

/**
 * One page of the payment policies that the vault obeys.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/payment-policies`.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.paymentPolicies()
 * ```
 */
export const paymentPolicies = Endpoint.list(VaultsApi, "paymentPolicies")

/**
 * All payment policies of the vault, read page after page as they are taken. Fails as {@link paymentPolicies} does.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = Vaults.streamPaymentPolicies().pipe(Stream.runCollect)
 * ```
 */
export const streamPaymentPolicies = (query: Parameters<typeof paymentPolicies>[0] = {}) =>
  Page.stream(paymentPolicies, query)

/**
 * One page of the categories of the vault's gas station.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/gas-station-categories`.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.gasStationCategories()
 * ```
 */
export const gasStationCategories = Endpoint.list(VaultsApi, "gasStationCategories")

/**
 * All gas station categories, read page after page as they are taken. Fails as {@link gasStationCategories} does.
 *
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = Vaults.streamGasStationCategories().pipe(Stream.runCollect)
 * ```
 */
export const streamGasStationCategories = (query: Parameters<typeof gasStationCategories>[0] = {}) =>
  Page.stream(gasStationCategories, query)
