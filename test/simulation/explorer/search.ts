/** Walks all following worlds breadth-first, so that the first broken invariant has a shortest list of steps. */
import { nextOf } from "./environment.ts"
import { onState } from "./judge.ts"
import { begin, keyOf, type Scene, type World } from "./world.ts"

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

interface Node {
  readonly world: World
  readonly id: number
}

export const explore = (
  scene: Scene,
  limits: { readonly depth: number; readonly states: number; readonly only?: RegExp | undefined }
): Explored => {
  const first = begin(scene)
  const seen = new Set([hash(keyOf(first))])
  const parents: Array<number> = [-1]
  const labels: Array<string> = ["begin"]
  const listTo = (id: number): Array<string> => (id <= 0 ? [] : [...listTo(parents[id]!), labels[id]!])
  let level: Array<Node> = [{ world: first, id: 0 }]
  for (let depth = 0; ; depth++) {
    const next: Array<Node> = []
    for (const { id, world } of level) {
      const steps = nextOf(world)
      const wrong = onState(world, steps.length === 0)
      if (wrong !== undefined) return { states: seen.size, depth, isWhole: false, broken: wrong, list: listTo(id) }
      for (const { label, world: after } of steps) {
        if (after.left.faults < world.left.faults && limits.only?.test(label) === false) continue
        if (after.broken !== undefined)
          return {
            states: seen.size,
            depth: depth + 1,
            isWhole: false,
            broken: after.broken,
            list: [...listTo(id), label]
          }
        const key = hash(keyOf(after))
        if (seen.has(key)) continue
        seen.add(key)
        parents.push(id)
        labels.push(label)
        next.push({ world: after, id: parents.length - 1 })
      }
    }
    if (next.length === 0) return { states: seen.size, depth, isWhole: true, broken: undefined, list: [] }
    if (depth + 1 >= limits.depth || seen.size >= limits.states)
      return { states: seen.size, depth: depth + 1, isWhole: false, broken: undefined, list: [] }
    level = next
  }
}
