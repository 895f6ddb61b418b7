/** Specification: "Endpoint categories", NFTs; "Other resources": fields not shown. */
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/**
 * A non-fungible token. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Nft extends Lenient.Fields {
  readonly id: Id.NftId
  readonly name?: string
  readonly description?: string
  readonly collection?: string
  /** The wallet that holds it. */
  readonly walletId?: Id.WalletId
  readonly contractAddress?: string
  readonly networkId?: Id.NetworkId
  readonly network?: Network
  /** The address of its file. */
  readonly file?: string
  readonly status?: Status
  readonly createdAt?: DateTime.Utc
  readonly updatedAt?: DateTime.Utc
}

/**
 * The codec of a {@link Nft}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Nft = Lenient.struct<Nft>(
  { id: Id.NftId },
  {
    name: Schema.String,
    description: Schema.String,
    collection: Schema.String,
    walletId: Id.WalletId,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Network,
    file: Schema.String,
    status: Status,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
)
