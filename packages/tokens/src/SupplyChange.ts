/**
 * The record of a mint or burn.
 *
 * Specification: "Endpoint categories", Tokens: "create, mint, burn"; fields not shown.
 */
import { Amount } from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Polling from "@effect-custody/core/Polling"
import * as Schema from "effect/Schema"

/** A mint or burn as the service took it on. Nothing of it is shown; the fields here are assumed. */
export const SupplyChange = Lenient.struct(
  {},
  {
    tokenId: Id.TokenId,
    transactionId: Id.TransactionId,
    status: Polling.Status,
    /** In units of the token. */
    amount: Amount,
    /** How much of the token there is afterwards, in its units. */
    supply: Amount,
    createdAt: Schema.String
  }
)
export type SupplyChange = typeof SupplyChange.Type
