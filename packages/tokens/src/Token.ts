/** Specification: "Endpoint categories", Tokens; "Other resources": fields not shown. */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Page from "@effect-custody/core/Page"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/**
 * A fungible or security token. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Token extends Lenient.Fields {
  readonly id: Id.TokenId
  readonly type?: OpenEnum<"FUNGIBLE" | "SECURITY">
  readonly name?: string
  readonly symbol?: string
  readonly decimals?: number
  readonly description?: string
  /** In units of the token. */
  readonly supply?: Amount
  readonly contractAddress?: string
  readonly networkId?: Id.NetworkId
  readonly network?: Network
  readonly logo?: string
  readonly status?: Status
  readonly createdAt?: DateTime.Utc
  readonly updatedAt?: DateTime.Utc
}

/**
 * The codec of a {@link Token}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Token = Lenient.struct<Token>(
  { id: Id.TokenId },
  {
    type: OpenEnum("FUNGIBLE", "SECURITY"),
    name: Schema.String,
    symbol: Schema.String,
    decimals: Page.Count,
    description: Schema.String,
    supply: Amount,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Network,
    logo: Schema.String,
    status: Status,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
)
