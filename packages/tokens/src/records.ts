/**
 * The records of tokens. The specification shows no field: those here are assumed.
 *
 * Specification: "Endpoint categories", Tokens; "Other resources".
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
import { Status } from "@effect-custody/core/Polling"
import { Timestamp } from "@effect-custody/core/Timestamp"
import * as Schema from "effect/Schema"

/**
 * The type of a token: fungible or security.
 *
 * @since 0.1.0
 * @category models
 */
export type TokenType = Lenient.OpenEnum<"FUNGIBLE" | "SECURITY">

/**
 * The codec of a {@link TokenType}. The specification names both types, and shows no identifier: those here are assumed.
 *
 * @since 0.1.0
 * @category codecs
 */
export const TokenType = Lenient.OpenEnum("FUNGIBLE", "SECURITY")

/**
 * A fungible or security token. Assumed beyond its `id`.
 *
 * @since 0.1.0
 * @category models
 */
export class Token extends Lenient.Opaque<Token>()(
  { id: Id.TokenId },
  {
    type: TokenType,
    name: Schema.String,
    symbol: Schema.String,
    decimals: Page.Count,
    description: Schema.String,
    /** In units of the token. */
    supply: Amount,
    contractAddress: Schema.String,
    networkId: Id.NetworkId,
    network: Lenient.Network,
    logo: Schema.String,
    status: Status,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
) {}

/**
 * A mint or burn as the service accepted it. The specification shows none of its fields: those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export class SupplyChange extends Lenient.Opaque<SupplyChange>()(
  {},
  {
    tokenId: Id.TokenId,
    transactionId: Id.TransactionId,
    status: Status,
    /** In units of the token. */
    amount: Amount,
    /** The token's supply after the change, in units of the token. */
    supply: Amount,
    createdAt: Timestamp
  }
) {}

/**
 * The metadata of a token. The specification shows none of its fields: those here are assumed, and others are under
 * `extra`.
 *
 * @since 0.1.0
 * @category models
 */
export class TokenMetadata extends Lenient.Opaque<TokenMetadata>()(
  {},
  { name: Schema.String, description: Schema.String, image: Schema.String, website: Schema.String }
) {}
