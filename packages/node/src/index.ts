/** Node's parts: the undici client, the SQLite store, one ready layer. */
export * as NodeCustody from "./NodeCustody.ts"
export * as TokenStoreSqlite from "./TokenStoreSqlite.ts"
