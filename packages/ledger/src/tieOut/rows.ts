/** The statements of a tie-out. */
import { trim } from "@effect-custody/core/Text"
import type { Transaction } from "@effect-custody/transactions"
import * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { Database } from "../database/database.ts"
import type { RowError } from "../database/rows.ts"
import type { Payout } from "../payouts/Payout.ts"
import { findPayouts } from "../payouts/read.ts"

/**
 * From when, and until before when.
 *
 * @since 0.1.0
 * @category models
 */
export interface Period {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

/** The payouts to which transactions may belong. */
export const findByTransactions = (
  database: Database,
  transactions: ReadonlyArray<Transaction>
): Effect.Effect<ReadonlyArray<Payout>, RowError> => {
  const ids = transactions.map(({ id }) => id)
  const notes = transactions.flatMap(({ note }) => (note && trim(note)) || [])
  const { sql } = database
  return findPayouts(database, sql`${sql.in("transaction_id", ids)} OR ${sql.in("note", notes)}`)
}

const pageSize = 1_000

/** The payouts whose last intent was committed in a period, and which may have been sent, after a reference. */
export const listSent = (
  database: Database,
  { from, to }: Period,
  after: string
): Effect.Effect<ReadonlyArray<Payout>, RowError> =>
  findPayouts(
    database,
    database.sql`reference > ${after}
      AND intent_at >= ${DateTime.toEpochMillis(from)} AND intent_at < ${DateTime.toEpochMillis(to)}
      AND state IN ('sending', 'unknown', 'undecided', 'accepted', 'paid', 'failed')
      ORDER BY reference LIMIT ${pageSize}`
  )
