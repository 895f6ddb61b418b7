/** Non-fungible tokens: create them, hand them over, follow where they went. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Page from "@effect-custody/core/Page"
import { NftsApi } from "./NftsApi.ts"

// The records of this category, under its name.
export { Nft } from "./Nft.ts"
export { NftTransfer } from "./NftTransfer.ts"

/**
 * An NFT. Fails with `NotFound` if there is none of that id.
 *
 * Specification: "Endpoint categories", NFTs. The wire is assumed: `GET /nfts/:nftId`.
 *
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 *
 * const program = Nfts.get({ nftId: "nft-1" })
 * ```
 */
export const get = Endpoint.make(NftsApi, "get")

/**
 * One page of the networks on which NFTs can be created.
 *
 * Specification: "Endpoint categories", NFTs. The wire is assumed: `GET /nfts/networks`.
 *
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const ids = Effect.map(Nfts.networks(), (page) => page.items.map((network) => network.id))
 * ```
 */
export const networks = Endpoint.list(NftsApi, "networks")

/**
 * All networks on which NFTs can be created, read page after page as they are taken. Fails as {@link networks} does.
 *
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = Nfts.streamNetworks().pipe(Stream.runCollect)
 * ```
 */
export const streamNetworks = (query: Parameters<typeof networks>[0] = {}) => Page.stream(networks, query)

/**
 * Creates an NFT of a file on a network, for a wallet if you name one.
 *
 * Fails with `ValidationFailed` for what the service refuses, and **`OutcomeUnknown` if the NFT may exist**: never create
 * it again before you have looked for it. The specification names no operation that lists NFTs.
 *
 * Specification: "Endpoint categories", NFTs; multipart by "Request headers". The rest of the wire is assumed:
 * `POST /nfts/create`.
 *
 * @example
 * ```ts
 * import { Upload } from "@effect-custody/core"
 * import { Nfts } from "@effect-custody/sdk"
 *
 * const program = (image: Uint8Array) =>
 *   Nfts.create({
 *     name: "Deed 17",
 *     networkId: "ethereum",
 *     collection: "Deeds",
 *     file: Upload.fromBytes({ name: "deed.png", contentType: "image/png", bytes: image })
 *   })
 * ```
 */
export const create = Endpoint.make(NftsApi, "create")

/**
 * Hands an NFT over from one wallet to another. It gives the transfer as the service took it on; {@link transfers} shows
 * what becomes of it.
 *
 * Fails with `NotFound` if the service does not know what is named, and **`OutcomeUnknown` if the NFT may have changed
 * hands**: never transfer again before {@link transfers} has shown that it did not.
 *
 * Specification: "Endpoint categories", NFTs. The wire is assumed: `POST /nfts/:nftId/transfer`.
 *
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 *
 * const program = Nfts.transfer({ nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" })
 * ```
 */
export const transfer = Endpoint.make(NftsApi, "transfer")

/**
 * One page of an NFT's transfers. Fails with `NotFound` if there is no NFT of that id.
 *
 * Specification: "Endpoint categories", NFTs. The wire is assumed: `GET /nfts/:nftId/transfers`.
 *
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 *
 * const program = Nfts.transfers({ nftId: "nft-1", order: "desc", limit: 1 })
 * ```
 */
export const transfers = Endpoint.list(NftsApi, "transfers")

/**
 * All transfers of an NFT, read page after page as they are taken. Fails as {@link transfers} does.
 *
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const owners = Nfts.streamTransfers({ nftId: "nft-1" }).pipe(Stream.map((transfer) => transfer.toWalletId))
 * ```
 */
export const streamTransfers = (query: Parameters<typeof transfers>[0]) => Page.stream(transfers, query)
