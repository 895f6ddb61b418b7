/**
 * Specification: "Endpoint categories", NFTs: "transfer between wallets, track transfer transactions"; fields not
 * shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/**
 * A transfer of an NFT between wallets. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export interface NftTransfer extends Lenient.Fields {
  readonly id: Id.TransactionId
  readonly status?: Status
  readonly nftId?: Id.NftId
  readonly fromWalletId?: Id.WalletId
  readonly toWalletId?: Id.WalletId
  /** The transaction's hash on the blockchain. */
  readonly hash?: string
  readonly createdAt?: DateTime.Utc
  readonly updatedAt?: DateTime.Utc
}

/**
 * The codec of a {@link NftTransfer}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const NftTransfer = Lenient.struct<NftTransfer>(
  { id: Id.TransactionId },
  {
    status: Status,
    nftId: Id.NftId,
    fromWalletId: Id.WalletId,
    toWalletId: Id.WalletId,
    hash: Schema.String,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
)
