/** Random numbers from a seed. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export interface Source {
  /** From 0 up to, not including, 1. */
  readonly next: () => number
  readonly below: (bound: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(from: ReadonlyArray<A>) => A
  /** Picks a name by the weights. */
  readonly weighted: <K extends string>(weights: Readonly<Record<K, number>>) => K
}

/** Effect's seeded generator for code outside effects. */
export const random = (seed: number | string): Source => {
  const generator = Effect.runSync(Random.withSeed(Effect.service(Random.Random), seed))
  const next = () => generator.nextDoubleUnsafe()
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)]!,
    weighted: (weights) => {
      const entries = Object.entries(weights) as unknown as ReadonlyArray<[keyof typeof weights, number]>
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      return entries[0]![0]
    }
  }
}
