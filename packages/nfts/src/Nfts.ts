/** NFTs: create non-fungible tokens, transfer them, follow their transfers. */
import type { NotFound } from "@effect-custody/core/ApiError"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Endpoint from "@effect-custody/core/Endpoint"
import type * as Id from "@effect-custody/core/Id"
import type { Network } from "@effect-custody/core/Network"
import * as Page from "@effect-custody/core/Page"
import type { RequestInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import type * as Upload from "@effect-custody/core/Upload"
import type * as Stream from "effect/Stream"
import type { Nft } from "./Nft.ts"
import { NftsApi } from "./NftsApi.ts"
import type { NftTransfer } from "./NftTransfer.ts"

export { Nft } from "./Nft.ts"
export { NftTransfer } from "./NftTransfer.ts"

/**
 * The input of {@link get}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface GetInput {
  readonly nftId: Id.Named<"NftId">
}

/**
 * The errors of {@link get} and {@link transfers}.
 *
 * @since 0.1.0
 * @category errors
 */
export type GetError = Endpoint.ReadError | NotFound | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads an NFT. Fails with `NotFound` if there is none with that id.
 *
 * Specification: "Endpoint categories", NFTs. The wire is assumed: `GET /nfts/:nftId`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 *
 * const program = Nfts.get({ nftId: "nft-1" })
 * ```
 */
export const get: Endpoint.Endpoint<GetInput, Nft, GetError> = Endpoint.make(NftsApi, "get")

/**
 * The errors of {@link networks}.
 *
 * @since 0.1.0
 * @category errors
 */
export type NetworksError = Endpoint.ReadError | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads one page of the networks on which NFTs can be created.
 *
 * Specification: "Endpoint categories", NFTs. The wire is assumed: `GET /nfts/networks`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const ids = Effect.map(Nfts.networks(), (page) => page.items.map((network) => network.id))
 * ```
 */
export const networks: Endpoint.Endpoint<Page.Query, Page.Page<Network>, NetworksError> = Endpoint.list(
  NftsApi,
  "networks"
)

/**
 * The errors of {@link streamNetworks}.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamNetworksError = NetworksError | Page.PagingError

/**
 * Streams all networks on which NFTs can be created, page by page. Fails as {@link networks} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamNetworks = (query: Page.Query = {}): Stream.Stream<Network, StreamNetworksError, CustodyClient> =>
  Page.stream(networks, query)

/**
 * The input of {@link create}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface CreateInput {
  readonly name: string
  readonly networkId: Id.Named<"NetworkId">
  readonly walletId?: Id.Named<"WalletId">
  readonly collection?: string | undefined
  readonly description?: string | undefined
  readonly file: Upload.File
}

/**
 * The errors of a write. After an `OutcomeUnknown`, this client refuses the same input, with the same error, until
 * `Outcome.resolved`.
 *
 * @since 0.1.0
 * @category errors
 */
export type WriteError = Endpoint.WriteError | NotFound | UnconfirmedEndpoint

/**
 * Creates an NFT of a file on a network, optionally in a wallet.
 *
 * Fails with **`OutcomeUnknown` if the NFT may exist**: never create it again before you have looked for it. The
 * specification names no operation that lists NFTs.
 *
 * Specification: "Endpoint categories", NFTs. The wire is assumed: `POST /nfts/create`, multipart.
 *
 * @since 0.1.0
 * @category endpoints
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
export const create: Endpoint.Endpoint<CreateInput, Nft, WriteError> = Endpoint.make(NftsApi, "create")

/**
 * The input of {@link transfer}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface TransferInput {
  readonly nftId: Id.Named<"NftId">
  readonly fromWalletId: Id.Named<"WalletId">
  readonly toWalletId: Id.Named<"WalletId">
}

/**
 * Transfers an NFT from one wallet to another. Returns the transfer as the service accepted it; {@link transfers}
 * shows its status.
 *
 * Fails with **`OutcomeUnknown` if the NFT may have moved**: never transfer again before {@link transfers} has shown
 * that it did not.
 *
 * Specification: "Endpoint categories", NFTs. The wire is assumed: `POST /nfts/:nftId/transfer`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 *
 * const program = Nfts.transfer({ nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" })
 * ```
 */
export const transfer: Endpoint.Endpoint<TransferInput, NftTransfer, WriteError> = Endpoint.make(NftsApi, "transfer")

/**
 * The input of {@link transfers}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface TransfersInput extends Page.Query {
  readonly nftId: Id.Named<"NftId">
}

/**
 * Reads one page of an NFT's transfers. Fails with `NotFound` if there is no NFT with that id.
 *
 * Specification: "Endpoint categories", NFTs. The wire is assumed: `GET /nfts/:nftId/transfers`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Nfts } from "@effect-custody/sdk"
 *
 * const program = Nfts.transfers({ nftId: "nft-1", order: "desc", limit: 1 })
 * ```
 */
export const transfers: Endpoint.Endpoint<TransfersInput, Page.Page<NftTransfer>, GetError> = Endpoint.list(
  NftsApi,
  "transfers"
)

/**
 * The errors of {@link streamTransfers}.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamTransfersError = GetError | Page.PagingError

/**
 * Streams all transfers of an NFT, page by page. Fails as {@link transfers} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamTransfers = (
  query: TransfersInput
): Stream.Stream<NftTransfer, StreamTransfersError, CustodyClient> => Page.stream(transfers, query)
