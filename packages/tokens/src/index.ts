/** Tokens: fungible and security tokens. */
export * from "./records.ts"
export * as Tokens from "./Tokens.ts"
