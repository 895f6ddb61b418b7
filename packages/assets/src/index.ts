/** Assets: cryptocurrencies and tokens, and their prices. */
export * from "./records.ts"
export * as Assets from "./Assets.ts"
