/** The parts for Node: the HTTP client, the SQLite store, and one layer that combines them. */
export * as NodeCustody from "./NodeCustody.ts"
export * as TokenStoreSqlite from "./TokenStoreSqlite.ts"
