/**
 * The vault of a session: its details, assets, networks and policies.
 *
 * Specification: "Other endpoints" (`GET /vaults/details`; its response fields are not shown); "Endpoint categories",
 * Vaults.
 */
import type { Network } from "@effect-custody/core/Lenient"
import * as VaultsSdk from "@effect-custody/vaults/Vaults"
import * as DateTime from "effect/DateTime"
import * as Answer from "../http/answer.ts"
import { vaultAssets, networks } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import { found } from "./checks.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"

/** A network as lists show it. */
export const networkView = ({ id, name, status, symbol, type }: Network) => ({ id, name, symbol, type, status })

const settings = networks.map(({ id }) => ({ networkId: id, enabled: true }))

/** The approvals of a vault: they were asked for when the day began. */
const approvalsAt = (now: number) => {
  const createdAt = DateTime.startOf(DateTime.makeUnsafe(now), "day")
  return [
    { id: "1", status: "APPROVED", createdAt },
    { id: "2", status: "PENDING", createdAt },
    { id: "3", status: "REJECTED", createdAt }
  ]
}

const policies = [
  { id: "1", name: "Any payment in USDC", assetId: "usdc" },
  { id: "2", name: "Payments in Bitcoin", assetId: "btc" },
  { id: "3", name: "Payments in Ether", assetId: "eth" }
]

const gasStation = networks.map(({ id, name }, index) => ({
  id: String(index + 1),
  name: `Gas on ${name}`,
  networkId: id
}))

export const vaults = Category.define(VaultsSdk.endpoints, {
  details: ({ vault: { id }, world }) =>
    Answer.granted("Vault details", { id: String(id), name: `Vault ${id}`, type: world.settings.vaultType }),

  configuration: ({ vault: { id }, world }) =>
    Answer.granted("Vault configuration", {
      vaultId: String(id),
      extra: { type: world.settings.vaultType, currency: "USD", timezone: "UTC" }
    }),

  assets: (call) => {
    const ledger = Ledger.at(call.vault, call.now)
    return Listing.page(call, "Vault assets", {
      rows: vaultAssets(call.vault).values(),
      show: (asset) => {
        const { contractAddress, decimals, id, name, network, symbol } = asset
        const balance = Ledger.vaultTotal(ledger, asset)
        return { id, name, symbol, decimals, contractAddress, networkId: network.id, network, balance }
      }
    })
  },

  networks: (call) => Listing.page(call, "Vault networks", { rows: networks, show: networkView }),

  networkSettings: (call) =>
    Listing.page(call, "Vault network settings", { rows: settings, show: (setting) => setting }),

  approvals: (call) =>
    Listing.page(call, "Vault approvals", { rows: approvalsAt(call.now), show: (approval) => approval }),

  *approval({ input: { approvalId }, now }) {
    const approval = approvalsAt(now).find(({ id }) => id === approvalId)
    return Answer.granted("Vault approval", yield* found(approval, "E52001"))
  },

  paymentPolicies: (call) => Listing.page(call, "Vault payment policies", { rows: policies, show: (policy) => policy }),

  gasStationCategories: (call) =>
    Listing.page(call, "Vault gas station categories", { rows: gasStation, show: (gas) => gas })
})
