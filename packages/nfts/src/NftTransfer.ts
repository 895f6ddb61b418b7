/**
 * Specification: "Endpoint categories", NFTs: "transfer between wallets, track transfer transactions"; fields not
 * shown.
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * A transfer of an NFT between wallets. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export class NftTransfer extends Lenient.Record<NftTransfer>()(
  { id: Id.TransactionId },
  {
    status: Status,
    nftId: Id.NftId,
    fromWalletId: Id.WalletId,
    toWalletId: Id.WalletId,
    /** The transaction's hash on the blockchain. */
    hash: Schema.String,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
) {}
