/**
 * Specification: "Endpoint categories", Vaults; "Other endpoints": `GET /vaults/details` is shown, the wire of the
 * others is not, and is assumed here.
 */
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Page from "@effect-custody/core/Page"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import { Approval } from "./Approval.ts"
import { GasStationCategory } from "./GasStationCategory.ts"
import { NetworkSetting } from "./NetworkSetting.ts"
import { PaymentPolicy } from "./PaymentPolicy.ts"
import { Vault } from "./Vault.ts"
import { VaultAsset } from "./VaultAsset.ts"
import { VaultConfiguration } from "./VaultConfiguration.ts"

const section = "Endpoint categories, Vaults"

/**
 * Vaults: the primary organizational unit, which holds clients, wallets and assets.
 *
 * @since 0.1.0
 * @category contracts
 */
export class VaultsApi extends HttpContract.group("vaults").add(
  HttpContract.get("details", "/vaults/details", {
    success: EndpointSpec.envelope(Vault),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.specified({ safety: "read", section: "Other endpoints, GET /vaults/details" })),
  HttpContract.get("configuration", "/vaults/configuration", {
    success: EndpointSpec.envelope(VaultConfiguration),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("assets", "/vaults/assets", {
    query: Page.query,
    success: Page.envelope(VaultAsset),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("networks", "/vaults/networks", {
    query: Page.query,
    success: Page.envelope(Network),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("networkSettings", "/vaults/network-settings", {
    query: Page.query,
    success: Page.envelope(NetworkSetting),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("approvals", "/vaults/approvals", {
    query: Page.query,
    success: Page.envelope(Approval),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("approval", "/vaults/approvals/:approvalId", {
    params: { approvalId: Id.named("ApprovalId") },
    success: EndpointSpec.envelope(Approval),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "read", section, about: "approvalId" })),
  HttpContract.get("paymentPolicies", "/vaults/payment-policies", {
    query: Page.query,
    success: Page.envelope(PaymentPolicy),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("gasStationCategories", "/vaults/gas-station-categories", {
    query: Page.query,
    success: Page.envelope(GasStationCategory),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section }))
) {}
