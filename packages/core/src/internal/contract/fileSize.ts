/** Refuses what is larger than any contract, before it is looked at closely. Pure. */
import * as Predicate from "effect/Predicate"
import type { Path } from "../jsonText.ts"
import { problem, type Problem } from "./problem.ts"

/** How large a contract file may be, in bytes; and in characters. */
export const largest = 1024 * 1024

const longestKey = 256
const longestText = 8_192
const mostValues = 20_000

const tooMany = (what: string, many: number, most: number): readonly [message: string, expected: string] => [
  `${what} of ${many} characters`,
  `at most ${most} characters`
]

/** The problem of a file that is too large. */
export const ofFile = (size: number): Problem =>
  problem([], `the file has a size of ${size}`, `a contract file: at most ${largest} bytes`)

/** The first key or text that is too long, or the place where there are too many values. */
export const excess = (contract: unknown): Problem | undefined => {
  let values = 0
  const left: Array<readonly [path: Path, value: unknown]> = [[[], contract]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [path, value] = next
    if (++values > mostValues) return problem(path, `there are more than ${mostValues} values`, "fewer")
    if (typeof value === "string" && value.length > longestText)
      return problem(path, ...tooMany("a text", value.length, longestText))
    if (!Predicate.isObjectOrArray(value)) continue
    const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
    for (const [key, inner] of entries) {
      if (typeof key === "string" && key.length > longestKey)
        return problem(path, ...tooMany("a key", key.length, longestKey))
      left.push([[...path, key], inner])
    }
  }
  return undefined
}
