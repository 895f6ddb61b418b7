/** Wallets: blockchain addresses tied to clients. */
export * from "./records.ts"
export * as Wallets from "./Wallets.ts"
