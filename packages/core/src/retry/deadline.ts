/** The time by which a call has to end, as its caller says. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** The shortest of the deadlines around a call, as a duration. */
export const Deadline = Context.Reference<Duration.Duration>("@effect-custody/core/RetryPolicy/Deadline", {
  defaultValue: () => Duration.infinity
})
