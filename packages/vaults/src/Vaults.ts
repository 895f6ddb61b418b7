/** The vault of the session: its details, configuration, assets, networks, approvals and policies. */
import type { NotFound } from "@effect-custody/core/ApiError"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Endpoint from "@effect-custody/core/Endpoint"
import type * as Id from "@effect-custody/core/Id"
import type { Network } from "@effect-custody/core/Network"
import * as Page from "@effect-custody/core/Page"
import type {
  RequestInvalid,
  TransportError,
  UnconfirmedEndpoint,
  UnexpectedResponse
} from "@effect-custody/core/SdkError"
import type { SessionError } from "@effect-custody/core/SessionError"
import type * as Stream from "effect/Stream"
import type { Approval } from "./Approval.ts"
import type { GasStationCategory } from "./GasStationCategory.ts"
import type { NetworkSetting } from "./NetworkSetting.ts"
import type { PaymentPolicy } from "./PaymentPolicy.ts"
import type { Vault } from "./Vault.ts"
import type { VaultAsset } from "./VaultAsset.ts"
import type { VaultConfiguration } from "./VaultConfiguration.ts"
import { VaultsApi } from "./VaultsApi.ts"

export { Approval } from "./Approval.ts"
export { GasStationCategory } from "./GasStationCategory.ts"
export { NetworkSetting } from "./NetworkSetting.ts"
export { PaymentPolicy } from "./PaymentPolicy.ts"
export { Vault } from "./Vault.ts"
export { VaultAsset } from "./VaultAsset.ts"
export { VaultConfiguration } from "./VaultConfiguration.ts"

/**
 * The errors of {@link details}.
 *
 * @since 0.1.0
 * @category errors
 */
export type DetailsError = Endpoint.AnswerError | TransportError | UnexpectedResponse | SessionError

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
 * const name = Effect.map(Vaults.details(), (vault) => vault.name)
 * ```
 */
export const details: Endpoint.Endpoint<void, Vault, DetailsError> = Endpoint.make(VaultsApi, "details")

/**
 * The errors of {@link configuration}.
 *
 * @since 0.1.0
 * @category errors
 */
export type ConfigurationError = Endpoint.ReadError | UnconfirmedEndpoint

/**
 * Reads the vault's configuration. The fields are under `extra`, as the service sends them.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/configuration`.
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
export const configuration: Endpoint.Endpoint<void, VaultConfiguration, ConfigurationError> = Endpoint.make(
  VaultsApi,
  "configuration"
)

/**
 * The errors of a read of a page.
 *
 * @since 0.1.0
 * @category errors
 */
export type ListError = Endpoint.ReadError | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads one page of the vault's assets. Balances are in units of each asset.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/assets`.
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
export const assets: Endpoint.Endpoint<Page.Query, Page.Page<VaultAsset>, ListError> = Endpoint.list(
  VaultsApi,
  "assets"
)

/**
 * The errors of a stream.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamError = ListError | Page.PagingError

/**
 * Streams all assets of the vault, page by page. Fails as {@link assets} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamAssets = (query: Page.Query = {}): Stream.Stream<VaultAsset, StreamError, CustodyClient> =>
  Page.stream(assets, query)

/**
 * Reads one page of the networks that the vault uses.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/networks`.
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
export const networks: Endpoint.Endpoint<Page.Query, Page.Page<Network>, ListError> = Endpoint.list(
  VaultsApi,
  "networks"
)

/**
 * Streams all networks of the vault, page by page. Fails as {@link networks} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamNetworks = (query: Page.Query = {}): Stream.Stream<Network, StreamError, CustodyClient> =>
  Page.stream(networks, query)

/**
 * Reads one page of the vault's network settings.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/network-settings`.
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
export const networkSettings: Endpoint.Endpoint<Page.Query, Page.Page<NetworkSetting>, ListError> = Endpoint.list(
  VaultsApi,
  "networkSettings"
)

/**
 * Streams all network settings of the vault, page by page. Fails as {@link networkSettings} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamNetworkSettings = (
  query: Page.Query = {}
): Stream.Stream<NetworkSetting, StreamError, CustodyClient> => Page.stream(networkSettings, query)

/**
 * Reads one page of the vault's approvals, pending and decided.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/approvals`.
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
export const approvals: Endpoint.Endpoint<Page.Query, Page.Page<Approval>, ListError> = Endpoint.list(
  VaultsApi,
  "approvals"
)

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
export const streamApprovals = (query: Page.Query = {}): Stream.Stream<Approval, StreamError, CustodyClient> =>
  Page.stream(approvals, query)

/**
 * The input of {@link approval}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface ApprovalInput {
  readonly approvalId: Id.Named<"ApprovalId">
}

/**
 * The errors of {@link approval}.
 *
 * @since 0.1.0
 * @category errors
 */
export type ApprovalError = Endpoint.ReadError | NotFound | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads an approval. Fails with `NotFound` if there is none with that id.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/approvals/:approvalId`.
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
export const approval: Endpoint.Endpoint<ApprovalInput, Approval, ApprovalError> = Endpoint.make(VaultsApi, "approval")

/**
 * Reads one page of the vault's payment policies.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/payment-policies`.
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
export const paymentPolicies: Endpoint.Endpoint<Page.Query, Page.Page<PaymentPolicy>, ListError> = Endpoint.list(
  VaultsApi,
  "paymentPolicies"
)

/**
 * Streams all payment policies of the vault, page by page. Fails as {@link paymentPolicies} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamPaymentPolicies = (
  query: Page.Query = {}
): Stream.Stream<PaymentPolicy, StreamError, CustodyClient> => Page.stream(paymentPolicies, query)

/**
 * Reads one page of the vault's gas station categories.
 *
 * Specification: "Endpoint categories", Vaults. The wire is assumed: `GET /vaults/gas-station-categories`.
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
export const gasStationCategories: Endpoint.Endpoint<
  Page.Query,
  Page.Page<GasStationCategory>,
  ListError
> = Endpoint.list(VaultsApi, "gasStationCategories")

/**
 * Streams all gas station categories of the vault, page by page. Fails as {@link gasStationCategories} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamGasStationCategories = (
  query: Page.Query = {}
): Stream.Stream<GasStationCategory, StreamError, CustodyClient> => Page.stream(gasStationCategories, query)
