/**
 * The record of a non-fungible token.
 *
 * Specification: "Endpoint categories", NFTs; "Other resources": fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Polling from "@effect-custody/core/Polling"
import * as Schema from "effect/Schema"

/** A non-fungible token. Assumed beyond its `id`. */
export const Nft = Lenient.struct(
  { id: Id.NftId },
  {
    name: Schema.String,
    description: Schema.String,
    collection: Schema.String,
    /** Who has it. */
    walletId: Id.WalletId,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Network,
    /** Where its file is. */
    file: Schema.String,
    status: Polling.Status,
    createdAt: Schema.String,
    updatedAt: Schema.String
  }
)
export type Nft = typeof Nft.Type
