/**
 * Reads JSON at a path. Pure.
 *
 * @stability unstable
 */
import * as Predicate from "effect/Predicate"

export type Segments = ReadonlyArray<string>

export const at = (value: unknown, segments: Segments): unknown => {
  let inner = value
  for (const segment of segments) {
    if (!Predicate.isObjectOrArray(inner) || !Object.hasOwn(inner, segment)) return undefined
    inner = (inner as Readonly<Record<string, unknown>>)[segment]
  }
  return inner
}
