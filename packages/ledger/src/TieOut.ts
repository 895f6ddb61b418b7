/**
 * Compares the ledger with the service's history: ours without theirs, theirs without ours, and differences.
 *
 * Specification: "Endpoint categories", Transactions.
 *
 * @since 0.1.0
 */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Compare from "./tieOut/compare.ts"
import type { Period } from "./tieOut/rows.ts"
import type { Report, RunError } from "./tieOut/run.ts"

export { Row } from "./tieOut/compare.ts"
export type { Period } from "./tieOut/rows.ts"
export { Report, type RunError } from "./tieOut/run.ts"

/**
 * The tie-outs of a ledger, which `Payouts.layer` makes.
 *
 * @since 0.1.0
 * @category services
 */
export class TieOut extends Context.Service<
  TieOut,
  { readonly run: (period: Period) => Effect.Effect<Report, RunError, CustodyClient> }
>()("@effect-custody/ledger/TieOut") {}

/**
 * Compares the payouts and the outgoing transactions of a period. It reads the history from 26 hours before, and reads
 * what it does not find there one by one. Changes nothing. Amounts are equal as decimals, and names and hexadecimal
 * addresses in any letter case.
 *
 * Payouts count by the time of their last intent, transactions by their `createdAt`: run it over whole days, and look at a
 * difference at the edge of one in the report of the other.
 *
 * Fails as `Transactions.stream` does, with `RequestInvalid` if `from` is not before `to`, and with `LedgerError`.
 *
 * @example
 * ```ts
 * import { TieOut } from "@effect-custody/ledger"
 * import { Console, DateTime, Effect } from "effect"
 *
 * const yesterday = Effect.gen(function* () {
 *   const to = DateTime.startOf(yield* DateTime.now, "day")
 *   const report = yield* TieOut.run({ from: DateTime.subtract(to, { days: 1 }), to })
 *   yield* Console.log(TieOut.toCsv(report))
 * })
 * ```
 *
 * @since 0.1.0
 * @category reports
 */
export const run = (period: Period) => TieOut.use((ledger) => ledger.run(period))

/**
 * The rows as CSV, with a header: `kind,reference,transactionId,clientId,assetId,ours,theirs,detail`.
 *
 * @since 0.1.0
 * @category reports
 */
export const toCsv = ({ rows }: Report): string => Compare.toCsv(rows)
