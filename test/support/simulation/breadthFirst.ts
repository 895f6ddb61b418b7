/** Walks all following worlds breadth-first, so that the first broken invariant has a shortest list of steps. */

export interface Step<World> {
  readonly label: string
  readonly world: World
  readonly isFault?: boolean
}

/** A world may carry the invariant that the step to it has broken. */
interface Breakable {
  readonly broken: string | undefined
}

/** A small world, and how it goes on. */
export interface Model<World extends Breakable> {
  readonly first: World
  readonly nextOf: (world: World) => ReadonlyArray<Step<World>>
  /** A text that two worlds share if they have the same future. */
  readonly keyOf: (world: World) => string
  /** The invariant that a world breaks, with its next steps. */
  readonly judge: (world: World, steps: ReadonlyArray<Step<World>>) => string | undefined
  /** `true` if everything has come to its end. If given, an end must be reachable from every world without a fault. */
  readonly hasEnded?: (world: World) => boolean
}

export interface Limits {
  readonly depth: number
  readonly states: number
}

export interface Explored {
  readonly states: number
  readonly depth: number
  readonly isWhole: boolean
  readonly broken: string | undefined
  /** The steps that lead to it. */
  readonly list: ReadonlyArray<string>
}

/** Hashes a text to 53 bits. */
const hash = (text: string): number => {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}

/** The first world from which no end can be reached. `before` has the worlds before each world. */
const findEndless = (before: ReadonlyArray<ReadonlyArray<number>>, ended: ReadonlyArray<number>): number => {
  const canEnd = new Set(ended)
  const open = [...ended]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const one of before[id]!) {
      if (canEnd.has(one)) continue
      canEnd.add(one)
      open.push(one)
    }
  }
  return before.findIndex((_, id) => !canEnd.has(id))
}

export const walk = <World extends Breakable>(
  { first, hasEnded, judge, keyOf, nextOf }: Model<World>,
  limits: Limits
): Explored => {
  const ids = new Map([[hash(keyOf(first)), 0]])
  const parents: Array<number> = [-1]
  const labels: Array<string> = ["begin"]
  const before: Array<Array<number>> = [[]]
  const ended: Array<number> = []
  const listTo = (id: number): Array<string> => (id <= 0 ? [] : [...listTo(parents[id]!), labels[id]!])
  let level = [{ world: first, id: 0 }]
  for (let depth = 0; ; depth++) {
    const next: typeof level = []
    const result = { depth, isWhole: false, broken: undefined, list: [] }
    for (const { id, world } of level) {
      const steps = nextOf(world)
      const broken = judge(world, steps)
      if (broken !== undefined) return { ...result, states: ids.size, broken, list: listTo(id) }
      if (hasEnded?.(world) === true) ended.push(id)
      for (const { isFault, label, world: after } of steps) {
        if (after.broken !== undefined)
          return { ...result, states: ids.size, depth: depth + 1, broken: after.broken, list: [...listTo(id), label] }
        const key = hash(keyOf(after))
        const known = ids.get(key)
        const to = known ?? ids.size
        if (known === undefined) {
          ids.set(key, to)
          parents.push(id)
          labels.push(label)
          before.push([])
          next.push({ world: after, id: to })
        }
        if (hasEnded !== undefined && isFault !== true) before[to]!.push(id)
      }
    }
    if (next.length === 0) {
      const endless = hasEnded === undefined ? -1 : findEndless(before, ended)
      const broken = endless === -1 ? undefined : "no end can be reached"
      return { ...result, states: ids.size, isWhole: broken === undefined, broken, list: listTo(endless) }
    }
    if (depth + 1 >= limits.depth || ids.size >= limits.states) return { ...result, states: ids.size, depth: depth + 1 }
    level = next
  }
}
