/** Specification: "Endpoint categories", Tokens: "create, mint, burn"; fields not shown. */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Status } from "@effect-custody/core/unstable/Status"
import { Timestamp } from "@effect-custody/core/Timestamp"

/**
 * A mint or burn as the service accepted it. The specification shows none of its fields: those here are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export class SupplyChange extends Lenient.Record<SupplyChange>()(
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
