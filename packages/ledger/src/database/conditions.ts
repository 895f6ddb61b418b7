/** The conditions of the partial indexes. SQLite uses such an index only for a statement that repeats its condition. */
import type { PayoutState } from "../model/Payout.ts"

/** Payouts that may be on their way without a transaction that the ledger knows. By `valid_until`. */
export const doubtful = "state IN ('sending', 'unknown', 'undecided')"

/** Payouts that wait for the history. By `due_at`. */
export const waiting = "state IN ('unknown', 'accepted')"

/** Payouts that go on only if a person says so, and those that failed. By state and reference. */
export const stopped = "state IN ('held', 'undecided', 'refused', 'failed')"

/** The condition of an index in which payouts of a state are found, if there is one. */
export const ofState = (state: PayoutState): string => (stopped.includes(`'${state}'`) ? stopped : "true")

/** Payouts that the history shows as paid, although this ledger has not sent them. By reference. */
export const behind = "behind IS NOT NULL AND state IN ('held', 'ready')"
