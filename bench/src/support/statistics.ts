/** What a series of rounds shows on a machine that has other load too. */

/** The middle half of a series. */
export interface Spread {
  readonly low: number
  readonly high: number
}

export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * part
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

export const spread = (values: ReadonlyArray<number>): Spread => ({
  low: quantile(values, 0.25),
  high: quantile(values, 0.75)
})

/** The undisturbed cost: other load on the machine can only make a round more expensive. */
export const undisturbed = (values: ReadonlyArray<number>): number => quantile(values, 0.1)

/** The ratios of two series, round by round. */
export const ratios = (values: ReadonlyArray<number>, base: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value, round) => value / base[round]!)
