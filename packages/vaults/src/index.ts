/** The vault: details, configuration, assets, networks, approvals, payment policies and gas station categories. */
export * from "./records.ts"
export * as Vaults from "./Vaults.ts"
