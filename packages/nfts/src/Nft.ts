/** Specification: "Endpoint categories", NFTs; "Other resources": fields not shown. */
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * A non-fungible token. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export class Nft extends Lenient.Record<Nft>()(
  { id: Id.NftId },
  {
    name: Schema.String,
    description: Schema.String,
    collection: Schema.String,
    /** The wallet that holds it. */
    walletId: Id.WalletId,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Network,
    /** The address of its file. */
    file: Schema.String,
    status: Status,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
) {}
