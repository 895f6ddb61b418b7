/** Schemas of durations in settings. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** A finite time to wait, zero or longer. */
export const Wait = Schema.Duration.check(
  Schema.makeFilter((wait) => Duration.isFinite(wait) && !Duration.isNegative(wait), {
    message: "must be a finite duration, zero or longer"
  })
)

/** A time limit. It may be infinite. */
export const Bound = Schema.Duration.check(
  Schema.makeFilter((bound) => Duration.isPositive(bound), { message: "must be a positive duration" })
)
