/** The retry budget of a client. Counts its recent calls, and its extra requests (retries and look-ups). */
import type { RetryPolicy } from "./RetryPolicy.ts"

type Budget = RetryPolicy["budget"]

/** A request of this age counts as about a third of a request (1/e). An older request counts as less. */
const windowSeconds = 10

export interface RetryBudget extends ReturnType<typeof make> {}

/** Makes a budget. Times are in seconds of the monotonic clock. */
export const make = () => {
  let calls = 0
  let extra = 0
  let countedAt = 0

  const age = (now: number): void => {
    const kept = Math.exp((countedAt - now) / windowSeconds)
    calls *= kept
    extra *= kept
    countedAt = now
  }

  /** Computes the number of extra requests that are allowed now. */
  const left = (now: number, { floor, ratio }: Budget): number => {
    age(now)
    // A rounding error must not cost a whole request.
    return Math.max(0, Math.floor(Math.max(floor, calls * ratio) - extra + 1e-9))
  }

  return {
    left,

    /** Counts a call that begins. */
    called: (now: number): void => {
      age(now)
      calls++
    },

    /** Takes one extra request, if one is allowed. */
    take: (now: number, budget: Budget): boolean => {
      const isAllowed = left(now, budget) > 0
      if (isAllowed) extra++
      return isAllowed
    }
  }
}
