/** NFTs: non-fungible tokens. Create them, transfer them, and follow their transfers. */
import { NotFound } from "@effect-custody/core/ApiError"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
import type { InputInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import * as Upload from "@effect-custody/core/Upload"
import { NonBlank } from "@effect-custody/core/Text"
import * as Schema from "effect/Schema"
import { Nft, NftTransfer } from "./records.ts"

export * from "./records.ts"

const section = "Endpoint categories, NFTs"

const ofNft = { nftId: Id.named("NftId") }

/**
 * Reads an NFT. Fails with `NotFound` if there is none with that id.
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
export const get = Endpoint.read("nfts.get", {
  route: "GET /nfts/:nftId",
  assumed: section,
  params: ofNft,
  success: Nft,
  errors: [NotFound],
  about: { parameter: "nftId", idFields: ["id", "nftId", "tokenId"] }
})

/**
 * Reads one page of the networks on which NFTs can be created.
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
export const networks = Endpoint.list("nfts.networks", {
  route: "GET /nfts/networks",
  assumed: section,
  success: Network
})

/**
 * Streams all networks on which NFTs can be created, page by page. Fails as {@link networks} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamNetworks = (query: Page.Query = {}) => Page.stream(networks, query)

const createFields = {
  name: NonBlank,
  networkId: Id.named("NetworkId"),
  walletId: Endpoint.exact(Id.named("WalletId")),
  collection: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  file: Upload.File
}

/**
 * The input of {@link create}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface CreateInput extends Endpoint.InputOf<typeof createFields> {}

/**
 * Creates an NFT of a file on a network, optionally in a wallet.
 *
 * Fails with **`OutcomeUnknown` if the NFT may exist**: never create it again before you have looked for it. The
 * specification names no operation that lists NFTs.
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
export const create: Endpoint.Endpoint<CreateInput, Nft, Endpoint.WriteError | NotFound | UnconfirmedEndpoint> =
  Endpoint.write("nfts.create", {
    route: "POST /nfts/create",
    assumed: "Endpoint categories, NFTs; Request headers",
    payload: createFields,
    isMultipart: true,
    success: Nft,
    errors: [NotFound]
  })

const transferFields = {
  fromWalletId: Id.named("WalletId"),
  toWalletId: Id.named("WalletId")
}

/**
 * The input of {@link transfer}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface TransferInput extends Endpoint.InputOf<typeof ofNft & typeof transferFields> {}

/**
 * Transfers an NFT from one wallet to another. Returns the transfer as the service accepted it; {@link transfers}
 * shows its status.
 *
 * Fails with **`OutcomeUnknown` if the NFT may have moved**: never transfer again before {@link transfers} has shown
 * that it did not.
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
export const transfer: Endpoint.Endpoint<
  TransferInput,
  NftTransfer,
  Endpoint.WriteError | NotFound | UnconfirmedEndpoint
> = Endpoint.write("nfts.transfer", {
  route: "POST /nfts/:nftId/transfer",
  assumed: section,
  params: ofNft,
  payload: transferFields,
  success: NftTransfer,
  errors: [NotFound],
  lookUp: () => transfers
})

/**
 * The input of {@link transfers}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface TransfersInput extends Endpoint.InputOf<typeof ofNft>, Page.Query {}

/**
 * Reads one page of an NFT's transfers. Fails with `NotFound` if there is no NFT with that id.
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
export const transfers: Endpoint.Endpoint<
  TransfersInput,
  Page.Page<NftTransfer>,
  Endpoint.ReadError | NotFound | InputInvalid | UnconfirmedEndpoint
> = Endpoint.list("nfts.transfers", {
  route: "GET /nfts/:nftId/transfers",
  assumed: section,
  params: ofNft,
  success: NftTransfer,
  errors: [NotFound]
})

/**
 * Streams all transfers of an NFT, page by page. Fails as {@link transfers} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamTransfers = (query: TransfersInput) => Page.stream(transfers, query)

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { get, networks, create, transfer, transfers }
