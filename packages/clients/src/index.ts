/** Clients: external entities in segregated and consolidated vaults. */
export * from "./records.ts"
export * as Clients from "./Clients.ts"
