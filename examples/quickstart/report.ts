/** What a worker reports: one line of JSON each. */
import { Schema } from "effect"

export const Report = Schema.fromJsonString(
  Schema.Union([
    Schema.TaggedStruct("Read", { vault: Schema.String, generation: Schema.Int }),
    Schema.TaggedStruct("Wave", { calls: Schema.Int, succeeded: Schema.Int, generation: Schema.Int })
  ])
)
export type Report = typeof Report.Type

export const encodeReport = Schema.encodeEffect(Report)
export const decodeReport = Schema.decodeUnknownEffect(Report)
