/** Dotted paths into JSON, and the names of keys in another casing. Pure. */
import * as Predicate from "effect/Predicate"
import type { Defaults } from "../../ContractFile.ts"

export type Segments = ReadonlyArray<string>

export const segmentsOf = (dotted: string): Segments => dotted.split(".")

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
    const made = Predicate.isObjectOrArray(next) ? next : Number.isNaN(Number(following)) ? {} : []
    if (made !== next) define(inner, segment, made)
    inner = made as Record<string, unknown>
  }
}

/** Adds a key, whatever its name: `__proto__` is a key like any other. */
export const define = (object: Record<string, unknown>, name: string, value: unknown): void => {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
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
