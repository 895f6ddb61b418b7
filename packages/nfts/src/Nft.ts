/**
 * The record of a non-fungible token.
 *
 * Specification: "Endpoint categories", NFTs; "Other resources": fields not shown.
 */
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Open from "@effect-custody/core/Open"
import * as Progress from "@effect-custody/core/Progress"
import * as Schema from "effect/Schema"

/** A non-fungible token. Assumed beyond its `id`. */
export const Nft = Open.record(
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
    status: Progress.Status,
    createdAt: Schema.String,
    updatedAt: Schema.String
  }
)
export type Nft = typeof Nft.Type
