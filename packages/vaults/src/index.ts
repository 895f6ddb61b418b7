/** The vault: details, assets, networks, approvals and payment policies. */
export { Vault } from "./Vault.ts"
export * as Vaults from "./Vaults.ts"
export { VaultsApi } from "./VaultsApi.ts"
