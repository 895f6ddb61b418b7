/** Tells which fields of an answer were not of the type that is assumed. Their values are told nowhere. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import type { Operation } from "../Operation.ts"
import * as OperatorLog from "../OperatorLog.ts"

const recordsOf = (result: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(result)) return result
  const items = Predicate.isReadonlyObject(result) ? result["items"] : undefined
  return Array.isArray(items) ? items : [result]
}

/** How often each field of ours stands under `extra`. */
const countsOf = (known: ReadonlySet<string>, result: unknown): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const record of recordsOf(result)) {
    const extra = Predicate.isReadonlyObject(record) ? record["extra"] : undefined
    if (!Predicate.isReadonlyObject(extra)) continue
    for (const name of Object.keys(extra)) if (known.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Whether anybody would see it. */
export const isSeen = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  LogLevel.isLessThanOrEqualTo(fiber.getRef(References.MinimumLogLevel), "Debug")

/** Logs how many fields of a result were dropped, by name. */
export const report = ({ fields, operation }: Operation<unknown, unknown>, result: unknown): Effect.Effect<void> => {
  const counts = countsOf(fields(), result)
  if (counts.size === 0) return Effect.void
  const shown = [...counts].map(([name, count]) => `${name} (${count})`).join(", ")
  return OperatorLog.report("answer.dropped", `${operation}: ${shown}`)
}
