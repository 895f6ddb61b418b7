/** Tokens: fungible and security tokens. */
export { SupplyChange } from "./SupplyChange.ts"
export { Token } from "./Token.ts"
export { TokenMetadata } from "./TokenMetadata.ts"
export * as Tokens from "./Tokens.ts"
