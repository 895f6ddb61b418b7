/** NFTs: non-fungible tokens. */
export * from "./records.ts"
export * as Nfts from "./Nfts.ts"
