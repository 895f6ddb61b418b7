/** Clients: external entities in segregated and consolidated vaults. */
export { Client } from "./Client.ts"
export * as Clients from "./Clients.ts"
