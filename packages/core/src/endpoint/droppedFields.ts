/** Logs the names (never the values) of the fields in an answer that do not have the assumed type. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import * as AnswerReport from "./AnswerReport.ts"
import type { Declaration } from "./Declaration.ts"
import { fieldNames } from "./Shape.ts"
import * as OperatorLog from "../errors/OperatorLog.ts"
import type { Wire } from "./Wires.ts"

/** `true` if the fiber's log level lets debug lines through, such as the line of {@link report}. */
export const isSeen = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  LogLevel.isLessThanOrEqualTo(fiber.getRef(References.MinimumLogLevel), "Debug")

/**
 * Logs the dropped fields of a result. Each entry has the field's name, its place on the wire (if different), and the
 * number of records.
 */
export const report = (declaration: Declaration, { place }: Wire, result: unknown): Effect.Effect<void> => {
  const { dropped } = AnswerReport.compare(fieldNames(declaration), place, result)
  if (dropped.length === 0) return Effect.void
  const list = dropped.map(({ name, place: at, records }) => `${name}${at === name ? "" : ` at ${at}`} (${records})`)
  return OperatorLog.report("answer.dropped", `${declaration.operation}: ${list.join(", ")}`)
}
