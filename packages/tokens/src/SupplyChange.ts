/** Specification: "Endpoint categories", Tokens: "create, mint, burn"; fields not shown. */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"

/**
 * A mint or burn as the service accepted it. The specification shows none of its fields: those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export interface SupplyChange extends Lenient.Fields {
  readonly tokenId?: Id.TokenId
  readonly transactionId?: Id.TransactionId
  readonly status?: Status
  /** In units of the token. */
  readonly amount?: Amount
  /** The token's supply after the change, in units of the token. */
  readonly supply?: Amount
  readonly createdAt?: DateTime.Utc
}

/**
 * The codec of a {@link SupplyChange}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const SupplyChange = Lenient.struct<SupplyChange>(
  {},
  {
    tokenId: Id.TokenId,
    transactionId: Id.TransactionId,
    status: Status,
    amount: Amount,
    supply: Amount,
    createdAt: Timestamp
  }
)
