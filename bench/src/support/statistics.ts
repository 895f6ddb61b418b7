/** Medians, and how far the rest lies from them. */

export interface Spread {
  readonly median: number
  /** Half of the values lie between the two. */
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
  median: quantile(values, 0.5),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75)
})

/** The ratios of two series, round by round. */
export const ratios = (values: ReadonlyArray<number>, base: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value, round) => value / base[round]!)
