/** Dotted paths into JSON, and the names of keys in another casing. Pure. */
import * as Predicate from "effect/Predicate"
import type { Defaults } from "../../ContractFile.ts"

export type Segments = ReadonlyArray<string>

export const segmentsOf = (dotted: string): Segments => dotted.split(".")

/** Whether a segment counts the items of a list. */
export const isIndex = (segment: string): boolean => !Number.isNaN(Number(segment))

/** The value at a path; `undefined` where there is none. */
export const at = (value: unknown, segments: Segments): unknown => {
  let inner = value
  for (const segment of segments) {
    if (!Predicate.isObjectOrArray(inner) || !Object.hasOwn(inner, segment)) return undefined
    inner = (inner as Readonly<Record<string, unknown>>)[segment]
  }
  return inner
}

/** Adds a value at a path. Objects on the way are made, and lists where a segment is a number. */
export const put = (root: Record<string, unknown>, segments: Segments, value: unknown): void => {
  let inner = root
  for (const [index, segment] of segments.entries()) {
    const following = segments[index + 1]
    if (following === undefined) return define(inner, segment, value)
    const next = Object.hasOwn(inner, segment) ? inner[segment] : undefined
    const made = Predicate.isObjectOrArray(next) ? next : isIndex(following) ? [] : {}
    if (made !== next) define(inner, segment, made)
    inner = made as Record<string, unknown>
  }
}

/** Adds a key, whatever its name: `__proto__` is a key like any other. */
export const define = (object: Record<string, unknown>, name: string, value: unknown): void => {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
}

/** A tree of keys. A key whose whole value is removed has no children. */
interface Keys extends ReadonlyMap<string, Keys> {}

const keysOf = (paths: ReadonlyArray<Segments>): Keys => {
  const firsts = new Set(paths.flatMap((path) => path.slice(0, 1)))
  return new Map(
    [...firsts].map((first) => {
      const inner = paths.filter((path) => path[0] === first).map((path) => path.slice(1))
      return [first, keysOf(inner.some((path) => path.length === 0) ? [] : inner)]
    })
  )
}

const rest = (value: object, taken: Keys): object => {
  const entries = Object.entries(value).flatMap(([name, inner]): ReadonlyArray<readonly [string, unknown]> => {
    const keys = taken.get(name)
    if (keys === undefined) return [[name, inner]]
    if (keys.size === 0) return []
    if (!Predicate.isObjectOrArray(inner)) return [[name, inner]]
    const left = rest(inner, keys)
    return Object.keys(left).length === 0 ? [] : [[name, left]]
  })
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

/**
 * Returns a function that removes the values at some paths from an object, and the objects on the way that become
 * empty.
 */
export const without = (paths: ReadonlyArray<Segments>): ((object: object) => object) => {
  const taken = keysOf(paths)
  return (object) => rest(object, taken)
}

const isUpper = (character: string): boolean => character !== character.toLowerCase()

/** The words of a name of ours, in lower case: `externalId` and `sort_key` have two. */
const wordsOf = (name: string): ReadonlyArray<string> => {
  const words: Array<string> = [""]
  for (const character of name) {
    if (character === "_") words.push("")
    else if (isUpper(character)) words.push(character.toLowerCase())
    else words.push(words.pop()! + character)
  }
  return words.filter((word) => word !== "")
}

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

/** A name of ours as the service writes it. */
export const cased = (name: string, casing: Defaults["casing"]): string => {
  switch (casing) {
    case undefined:
      return name
    case "snake_case":
      return wordsOf(name).join("_")
    case "kebab-case":
      return wordsOf(name).join("-")
    case "PascalCase":
      return wordsOf(name).map(capitalized).join("")
    case "camelCase": {
      const [first = "", ...others] = wordsOf(name)
      return first + others.map(capitalized).join("")
    }
  }
}
