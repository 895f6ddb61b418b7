/** Dotted paths into JSON, and conversion of key names to a casing. Pure. */
import * as Predicate from "effect/Predicate"
import type { Defaults } from "../language/ContractFile.ts"
import type { Segments } from "@effect-custody/core/ExactJson"

export { at, type Segments } from "@effect-custody/core/ExactJson"

export const parse = (dotted: string): Segments => dotted.split(".")

export const isIndex = (segment: string): boolean => !Number.isNaN(Number(segment))

/** Adds a value at a path. Creates missing objects along the path, and a list where the next segment is a number. */
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

/** Adds a key as data, even if its name is `__proto__`. */
const define = (object: Record<string, unknown>, name: string, value: unknown): void => {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
}

/** Removes the values at some paths, and the objects along those paths that become empty. */
export const without = (value: object, paths: ReadonlyArray<Segments>): object => {
  const entries = Object.entries(value).flatMap(([name, inner]): ReadonlyArray<readonly [string, unknown]> => {
    const rests = paths.filter(([first]) => first === name).map((path) => path.slice(1))
    if (rests.length === 0) return [[name, inner]]
    if (rests.some((rest) => rest.length === 0)) return []
    if (!Predicate.isObjectOrArray(inner)) return [[name, inner]]
    const left = without(inner, rests)
    return Object.keys(left).length === 0 ? [] : [[name, left]]
  })
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

/** Converts one of our names, which are in camelCase, to a casing. */
export const cased = (name: string, casing: Defaults["casing"]): string =>
  casing === "snake_case" ? name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`) : name
