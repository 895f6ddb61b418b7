/** NFTs: non-fungible tokens. */
export { Nft } from "./Nft.ts"
export { NftTransfer } from "./NftTransfer.ts"
export * as Nfts from "./Nfts.ts"
