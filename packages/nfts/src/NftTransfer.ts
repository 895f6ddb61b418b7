/**
 * The record of an NFT's transfer.
 *
 * Specification: "Endpoint categories", NFTs: "transfer between wallets, track transfer transactions"; fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Polling from "@effect-custody/core/Polling"
import * as Schema from "effect/Schema"

/** The transaction by which an NFT changes hands. Assumed beyond its `id`. */
export const NftTransfer = Lenient.struct(
  { id: Id.TransactionId },
  {
    status: Polling.Status,
    nftId: Id.NftId,
    fromWalletId: Id.WalletId,
    toWalletId: Id.WalletId,
    /** The transaction's name on the blockchain. */
    hash: Schema.String,
    createdAt: Schema.String,
    updatedAt: Schema.String
  }
)
export type NftTransfer = typeof NftTransfer.Type
