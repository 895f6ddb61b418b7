/** Everything that is left to chance, from a seed. */

export interface Chance {
  /** From 0 to 1, without 1. */
  readonly next: () => number
  readonly between: (from: number, to: number) => number
  readonly integer: (from: number, to: number) => number
  readonly happens: (probability: number) => boolean
  readonly of: <A>(choices: ReadonlyArray<A>) => A
}

/** A stream of its own for every purpose: what one draws does not move the other. */
export const chance = (seed: number, stream: number): Chance => {
  let a = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35)) >>> 0
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = a
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  next()
  const between = (from: number, to: number) => from + next() * (to - from)
  const integer = (from: number, to: number) => Math.floor(between(from, to + 1))
  return {
    next,
    between,
    integer,
    happens: (p) => next() < p,
    of: (choices) => choices[integer(0, choices.length - 1)]!
  }
}
