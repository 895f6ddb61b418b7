/**
 * The record of a token.
 *
 * Specification: "Endpoint categories", Tokens; "Other resources": fields not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
import * as Polling from "@effect-custody/core/Polling"
import * as Schema from "effect/Schema"

/** A fungible or security token. Assumed beyond its `id`. */
export const Token = Lenient.struct(
  { id: Id.TokenId },
  {
    name: Schema.String,
    symbol: Schema.String,
    decimals: Page.Count,
    description: Schema.String,
    /** How much of it there is, in units of the token. */
    supply: Amount,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Network,
    logo: Schema.String,
    status: Polling.Status,
    createdAt: Schema.String,
    updatedAt: Schema.String
  }
)
export type Token = typeof Token.Type
