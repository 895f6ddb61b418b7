/** Random choices from a seed. */
import { random } from "../../support/random.ts"

export interface Chance {
  /** From 0 up to, not including, 1. */
  readonly next: () => number
  readonly between: (from: number, to: number) => number
  readonly integer: (from: number, to: number) => number
  readonly happens: (probability: number) => boolean
  readonly of: <A>(choices: ReadonlyArray<A>) => A
}

/** A separate stream for each purpose. A draw from one stream does not change another stream. */
export const chance = (seed: number, stream: number): Chance => {
  const { chance: happens, next, pick } = random(`${seed} ${stream}`)
  const between = (from: number, to: number) => from + next() * (to - from)
  return { next, between, integer: (from, to) => Math.floor(between(from, to + 1)), happens, of: pick }
}
