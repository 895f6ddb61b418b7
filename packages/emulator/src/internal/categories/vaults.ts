/**
 * The vault of a session: its details, assets, networks and policies.
 *
 * Specification: "Other endpoints" (`GET /vaults/details`; its response fields are not shown); "Endpoint categories",
 * Vaults.
 */
import { VaultsApi } from "@effect-custody/vaults/VaultsApi"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import { type Asset, assetsOf, networks } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as WireFormat from "../http/wireFormat.ts"
import * as Ids from "../state/ids.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import { amountOf } from "../state/money.ts"
import { omitUndefined } from "./omitUndefined.ts"
import { columns as assetColumns } from "./assets.ts"
import { heldOf } from "./wallets.ts"
import type { Vault } from "../state/world.ts"

/** The columns of networks. */
export const networkColumns: Listing.Columns<(typeof networks)[number]> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  symbol: ({ symbol }) => symbol
}

const settings = networks.map(({ id }) => ({ networkId: id, enabled: true }))

const approvals = [
  { id: Ids.approval("1"), status: "APPROVED" },
  { id: Ids.approval("2"), status: "PENDING" },
  { id: Ids.approval("3"), status: "REJECTED" }
] as const

const policies = [
  { id: "1", name: "Any payment in USDC", assetId: Ids.asset("usdc") },
  { id: "2", name: "Payments in Bitcoin", assetId: Ids.asset("btc") },
  { id: "3", name: "Payments in Ether", assetId: Ids.asset("eth") }
]

const gasStation = networks.map(({ id, name }, index) => ({
  id: String(index + 1),
  name: `Gas on ${name}`,
  networkId: id
}))

const shownApproval = ({ world }: Vault, approval: (typeof approvals)[number]) => ({
  ...approval,
  createdAt: WireFormat.formatDate(world, 0)
})

const shownAsset = (ledger: Ledger.Ledger, asset: Asset) => {
  const { contractAddress, decimals, id, name, network, symbol } = asset
  return omitUndefined({
    id: Ids.asset(id),
    name,
    symbol,
    decimals,
    contractAddress,
    networkId: network.id,
    network,
    balance: amountOf(heldOf(ledger, asset))
  })
}

const unknownApproval: InventedCode = "E52001"

export const vaults = Category.define(VaultsApi, {
  details: ({ vault }) =>
    Answer.granted("Vault details", { id: Ids.vault(String(vault.id)), name: `Vault ${vault.id}`, type: "SEGREGATED" }),

  configuration: ({ vault }) =>
    Answer.granted("Vault configuration", {
      vaultId: Ids.vault(String(vault.id)),
      extra: { type: "SEGREGATED", currency: "USD", timezone: "UTC" }
    }),

  assets: ({ now, query, vault, world }) => {
    const ledger = Ledger.at(vault, now)
    return Listing.page(world, query, {
      message: "Vault assets",
      rows: [...assetsOf(vault).values()],
      columns: { ...assetColumns, balance: (asset) => heldOf(ledger, asset) },
      show: (asset) => shownAsset(ledger, asset)
    })
  },

  networks: ({ query, world }) =>
    Listing.page(world, query, {
      message: "Vault networks",
      rows: networks,
      columns: networkColumns,
      show: (network) => network
    }),

  networkSettings: ({ query, world }) =>
    Listing.page(world, query, {
      message: "Vault network settings",
      rows: settings,
      columns: { networkId: ({ networkId }) => networkId },
      show: (setting) => setting
    }),

  approvals: ({ query, vault, world }) =>
    Listing.page(world, query, {
      message: "Vault approvals",
      rows: approvals,
      columns: { id: ({ id }) => id, status: ({ status }) => status },
      show: (approval) => shownApproval(vault, approval)
    }),

  approval: ({ params: { approvalId }, vault }) => {
    const approval = approvals.find(({ id }) => id === approvalId)
    return approval === undefined
      ? Answer.notFound(unknownApproval, "Approval not found")
      : Answer.granted("Vault approval", shownApproval(vault, approval))
  },

  paymentPolicies: ({ query, world }) =>
    Listing.page(world, query, {
      message: "Vault payment policies",
      rows: policies,
      columns: { id: ({ id }) => id, name: ({ name }) => name, assetId: ({ assetId }) => assetId },
      show: (policy) => policy
    }),

  gasStationCategories: ({ query, world }) =>
    Listing.page(world, query, {
      message: "Vault gas station categories",
      rows: gasStation,
      columns: { id: ({ id }) => id, name: ({ name }) => name, networkId: ({ networkId }) => networkId },
      show: (category) => category
    })
})
