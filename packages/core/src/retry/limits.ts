/**
 * The limits of repetition: the time by which a call has to end, and the extra requests that the calls of a client share.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** The shortest of the deadlines around a call, as a duration. */
export const Deadline = Context.Reference<Duration.Duration>("@effect-custody/core/RetryPolicy/Deadline", {
  defaultValue: () => Duration.infinity
})

/** The budget of a policy. */
export interface Budget {
  /** The allowed extra requests as a share of the calls: 0.1 is one in ten. */
  readonly ratio: number
  /** The number of extra requests that are always allowed, however few calls there are. */
  readonly floor: number
}

/** A request of this age counts as about a third of a request (1/e). An older request counts as less. */
const windowSeconds = 10

export interface RetryBudget extends ReturnType<typeof makeBudget> {}

/** Makes a budget. Times are in seconds of the monotonic clock. */
export const makeBudget = () => {
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
