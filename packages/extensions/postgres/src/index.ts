/** Sessions in PostgreSQL. */
export * as TokenStorePostgres from "./TokenStorePostgres.ts"
