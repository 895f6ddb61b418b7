/**
 * Vaults: the primary organizational unit, which holds clients, wallets and assets. Read the details of the session's
 * vault, its configuration, assets, networks, approvals and policies.
 */
import { NotFound } from "@effect-custody/core/ApiError"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
import {
  Approval,
  GasStationCategory,
  NetworkSetting,
  PaymentPolicy,
  Vault,
  VaultAsset,
  VaultConfiguration
} from "./records.ts"

export * from "./records.ts"

const section = "Endpoint categories, Vaults"

/**
 * Reads the vault's details.
 *
 * Specification: "Other endpoints": method and path are specified, the response's fields are not shown.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const details = Effect.tap(Vaults.details(), Effect.log("the vault has answered"))
 * ```
 */
export const details = Endpoint.read("vaults.details", {
  route: "GET /vaults/details",
  section: "Other endpoints, GET /vaults/details",
  success: Vault
})

/**
 * Reads the vault's configuration. The fields are under `extra`, as the service sends them.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const fields = Effect.map(Vaults.configuration(), ({ extra }) => Object.keys(extra))
 * ```
 */
export const configuration = Endpoint.read("vaults.configuration", {
  route: "GET /vaults/configuration",
  assumed: section,
  success: VaultConfiguration
})

/**
 * Reads one page of the vault's assets. Balances are in units of each asset.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const symbols = Effect.map(Vaults.assets(), (page) => page.items.map((asset) => asset.symbol))
 * ```
 */
export const assets = Endpoint.list("vaults.assets", {
  route: "GET /vaults/assets",
  assumed: section,
  success: VaultAsset
})

/**
 * Streams all assets of the vault, page by page. Fails as {@link assets} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamAssets = (query: Page.Query = {}) => Page.stream(assets, query)

/**
 * Reads one page of the networks that the vault uses.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const ids = Effect.map(Vaults.networks(), (page) => page.items.map((network) => network.id))
 * ```
 */
export const networks = Endpoint.list("vaults.networks", {
  route: "GET /vaults/networks",
  assumed: section,
  success: Network
})

/**
 * Streams all networks of the vault, page by page. Fails as {@link networks} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamNetworks = (query: Page.Query = {}) => Page.stream(networks, query)

/**
 * Reads one page of the vault's network settings.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.networkSettings({ limit: 50 })
 * ```
 */
export const networkSettings = Endpoint.list("vaults.networkSettings", {
  route: "GET /vaults/network-settings",
  assumed: section,
  success: NetworkSetting
})

/**
 * Streams all network settings of the vault, page by page. Fails as {@link networkSettings} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamNetworkSettings = (query: Page.Query = {}) => Page.stream(networkSettings, query)

/**
 * Reads one page of the vault's approvals, pending and decided.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.approvals({ order: "desc", limit: 20 })
 * ```
 */
export const approvals = Endpoint.list("vaults.approvals", {
  route: "GET /vaults/approvals",
  assumed: section,
  success: Approval
})

/**
 * Streams all approvals of the vault, page by page. Fails as {@link approvals} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const pending = Vaults.streamApprovals().pipe(Stream.filter((approval) => approval.status === "PENDING"))
 * ```
 */
export const streamApprovals = (query: Page.Query = {}) => Page.stream(approvals, query)

/**
 * Reads an approval. Fails with `NotFound` if there is none with that id.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.approval({ approvalId: "a-1" })
 * ```
 */
export const approval = Endpoint.read("vaults.approval", {
  route: "GET /vaults/approvals/:approvalId",
  assumed: section,
  params: { approvalId: Id.named("ApprovalId") },
  success: Approval,
  errors: [NotFound],
  about: "approvalId"
})

/**
 * Reads one page of the vault's payment policies.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.paymentPolicies()
 * ```
 */
export const paymentPolicies = Endpoint.list("vaults.paymentPolicies", {
  route: "GET /vaults/payment-policies",
  assumed: section,
  success: PaymentPolicy
})

/**
 * Streams all payment policies of the vault, page by page. Fails as {@link paymentPolicies} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamPaymentPolicies = (query: Page.Query = {}) => Page.stream(paymentPolicies, query)

/**
 * Reads one page of the vault's gas station categories.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.gasStationCategories()
 * ```
 */
export const gasStationCategories = Endpoint.list("vaults.gasStationCategories", {
  route: "GET /vaults/gas-station-categories",
  assumed: section,
  success: GasStationCategory
})

/**
 * Streams all gas station categories of the vault, page by page. Fails as {@link gasStationCategories} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamGasStationCategories = (query: Page.Query = {}) => Page.stream(gasStationCategories, query)

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = {
  details,
  configuration,
  assets,
  networks,
  networkSettings,
  approvals,
  approval,
  paymentPolicies,
  gasStationCategories
}
