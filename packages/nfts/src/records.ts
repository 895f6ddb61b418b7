/**
 * The records of NFTs. The specification shows no field: those here are assumed.
 *
 * Specification: "Endpoint categories", NFTs; "Other resources".
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/Polling"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * A non-fungible token. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export class Nft extends Lenient.Opaque<Nft>()(
  { id: Id.NftId },
  {
    name: Schema.String,
    description: Schema.String,
    collection: Schema.String,
    /** The wallet that holds it. */
    walletId: Id.WalletId,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Lenient.Network,
    /** The address of its file. */
    file: Schema.String,
    status: Status,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
) {}

/**
 * A transfer of an NFT between wallets. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export class NftTransfer extends Lenient.Opaque<NftTransfer>()(
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
