/** The conditions of the partial indexes. SQLite uses such an index only for a statement that repeats its condition. */
import type { PayoutState } from "../payouts/Payout.ts"

/** Payouts that the service may have received, with no transaction known to the ledger. Indexed by `valid_until`. */
export const doubtful = "state IN ('sending', 'unknown', 'undecided')"

/** Payouts that wait for the history. Indexed by `due_at`. */
export const waiting = "state IN ('unknown', 'accepted')"

/** Payouts that wait for a person, and payouts that failed. Indexed by state and reference. */
export const stopped = "state IN ('held', 'undecided', 'mismatched', 'refused', 'failed')"

/** The condition of the index that holds the payouts of a state; `true` if no index does. */
export const ofState = (state: PayoutState): string => (stopped.includes(`'${state}'`) ? stopped : "true")

/** Payouts that a person has to look at before anything more is sent. Indexed by reference. */
export const alarmed = "alarm IS NOT NULL"

/** Payouts that are to be sent, for the first time or again. Indexed by reference. */
export const unsent = "state IN ('held', 'ready')"
