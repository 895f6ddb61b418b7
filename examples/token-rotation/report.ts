/** What a worker says after a wave of calls: a line of JSON. */
import { Schema } from "effect"

const Report = Schema.Struct({
  pid: Schema.Int,
  calls: Schema.Int,
  succeeded: Schema.Int,
  /** How often the session had been rotated when the wave was over. */
  generation: Schema.Int
})
export type Report = typeof Report.Type

const Line = Schema.fromJsonString(Report)
export const encodeReport = Schema.encodeEffect(Line)
export const decodeReport = Schema.decodeUnknownEffect(Line)
