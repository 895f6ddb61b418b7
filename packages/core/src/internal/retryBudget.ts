/** The retry budget of a client: how many calls there were lately, and how many extra requests. Pure. */

/** The bounds of a budget. */
export interface Bounds {
  /** Extra requests as a share of the calls. */
  readonly ratio: number
  /** Over how many seconds both are counted. */
  readonly windowSeconds: number
  /** How many extra requests are allowed in a window, however few calls there are. */
  readonly floor: number
}

/** The longest window. */
export const maxWindowSeconds = 60

/** What was counted in one second. */
interface Counts {
  readonly second: number
  readonly calls: number
  readonly extra: number
}

/** What was counted in the current second, and in each second before it that a window can still contain. */
export interface Budget extends Counts {
  readonly past: ReadonlyArray<Counts>
}

export const empty: Budget = { second: 0, calls: 0, extra: 0, past: [] }

/** The budget at a time. The clock does not go back: an earlier time counts as the current second. */
const at = (budget: Budget, nowSeconds: number): Budget => {
  const second = Math.floor(nowSeconds)
  if (second <= budget.second) return budget
  const past = [budget, ...budget.past].filter((counts) => counts.second > second - maxWindowSeconds)
  return { second, calls: 0, extra: 0, past: past.map(({ calls, extra, second }) => ({ second, calls, extra })) }
}

/** Counts a call that begins. */
export const called = (budget: Budget, nowSeconds: number): Budget => {
  const { calls, extra, past, second } = at(budget, nowSeconds)
  return { second, calls: calls + 1, extra, past }
}

/** What was counted in a window that ends now, and how many extra requests are left of it. */
const within = (budget: Budget, nowSeconds: number, { floor, ratio, windowSeconds }: Bounds) => {
  const now = at(budget, nowSeconds)
  const { second, past } = now
  let { calls, extra } = now
  for (const counts of past) {
    if (counts.second <= second - windowSeconds) continue
    calls += counts.calls
    extra += counts.extra
  }
  return { now, left: Math.max(floor, calls * ratio) - extra }
}

/** How many extra requests the calls of the window allow now. */
export const left = (budget: Budget, nowSeconds: number, bounds: Bounds): number =>
  Math.max(0, Math.ceil(within(budget, nowSeconds, bounds).left))

/** Takes one extra request, if the calls of the window allow it. */
export const take = (budget: Budget, nowSeconds: number, bounds: Bounds): readonly [taken: boolean, Budget] => {
  const { left, now } = within(budget, nowSeconds, bounds)
  return left > 0 ? [true, { ...now, extra: now.extra + 1 }] : [false, now]
}
