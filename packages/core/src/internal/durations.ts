/** Durations as settings. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** How long to wait: some time or none, but not for ever. */
export const Wait = Schema.Duration.check(
  Schema.makeFilter((wait) => Duration.isFinite(wait) && !Duration.isNegative(wait), {
    message: "must be a finite duration, zero or longer"
  })
)

/** How long something may take. */
export const Bound = Schema.Duration.check(
  Schema.makeFilter((bound) => Duration.isPositive(bound), { message: "must be a positive duration" })
)
