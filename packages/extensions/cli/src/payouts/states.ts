/** How the states of payouts are shown. Pure. */
import type { PayoutState } from "@effect-custody/ledger/Payout"
import type * as Payouts from "@effect-custody/ledger/Payouts"

export type States = Payouts.Progress["states"]

export const order: ReadonlyArray<PayoutState> = [
  "held",
  "ready",
  "sending",
  "accepted",
  "unknown",
  "undecided",
  "mismatched",
  "paid",
  "failed",
  "refused",
  "cancelled"
]

/** The states that a worker leads on. */
const working: ReadonlyArray<PayoutState> = ["ready", "sending", "accepted", "unknown"]

export const count = (states: States, ...of: ReadonlyArray<PayoutState>): number =>
  of.reduce((sum, state) => sum + (states[state] ?? 0), 0)

export const countWorking = (states: States): number => count(states, ...working)

/** Such as `290 paid, 8 sending`. */
export const describe = (states: States): string => {
  const parts = order.flatMap((state) => (count(states, state) === 0 ? [] : [`${count(states, state)} ${state}`]))
  return parts.length === 0 ? "no payouts" : parts.join(", ")
}
