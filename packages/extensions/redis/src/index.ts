/** Sessions in Redis. */
export * as TokenStoreRedis from "./TokenStoreRedis.ts"
