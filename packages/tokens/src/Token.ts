/** Specification: "Endpoint categories", Tokens; "Other resources": fields not shown. */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import { OpenEnum } from "@effect-custody/core/OpenEnum"
import * as Page from "@effect-custody/core/Page"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * A fungible or security token. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export class Token extends Lenient.Record<Token>()(
  { id: Id.TokenId },
  {
    type: OpenEnum("FUNGIBLE", "SECURITY"),
    name: Schema.String,
    symbol: Schema.String,
    decimals: Page.Count,
    description: Schema.String,
    /** In units of the token. */
    supply: Amount,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Network,
    logo: Schema.String,
    status: Status,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
) {}
