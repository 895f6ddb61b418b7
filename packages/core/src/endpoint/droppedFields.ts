/** Logs which fields of an answer were not of the assumed type. Their values are never logged. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import * as AnswerReport from "./AnswerReport.ts"
import type { Operation } from "./Operation.ts"
import * as OperatorLog from "../errors/OperatorLog.ts"
import type { Wire } from "./Wires.ts"

/** Whether the log level lets it through. */
export const isSeen = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  LogLevel.isLessThanOrEqualTo(fiber.getRef(References.MinimumLogLevel), "Debug")

/** Logs how many fields of a result were dropped, by name, with their place on the wire where that is another. */
export const report = (
  { fields, operation }: Operation<unknown, unknown>,
  { place }: Wire,
  result: unknown
): Effect.Effect<void> => {
  const { dropped } = AnswerReport.compare(fields(), place, result)
  if (dropped.length === 0) return Effect.void
  const shown = dropped.map(({ name, place: at, records }) => `${name}${at === name ? "" : ` at ${at}`} (${records})`)
  return OperatorLog.report("answer.dropped", `${operation}: ${shown.join(", ")}`)
}
