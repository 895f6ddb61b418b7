import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** The shortest deadline that the scopes around a call set. */
export const Deadline = Context.Reference<Duration.Duration>("@effect-custody/core/RetryPolicy/Deadline", {
  defaultValue: () => Duration.infinity
})
