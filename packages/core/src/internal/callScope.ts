/** What a scope sets for its calls, and what a header can carry. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** Headers beside the SDK's own, by name in lower case. */
export const RequestHeaders = Context.Reference<Readonly<Record<string, string>> | undefined>(
  "@effect-custody/core/RequestHeaders",
  { defaultValue: () => undefined }
)

/** The shortest deadline of the scopes around a call. */
export const Deadline = Context.Reference<Duration.Duration>("@effect-custody/core/RetryPolicy/Deadline", {
  defaultValue: () => Duration.infinity
})

/** Whether each character of a text can be in a header: those of Latin-1 that are printable, and tabs. */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]+$/.test(text)

/** Whether a value arrives unchanged: spaces and tabs around a header's value are dropped on the way. */
export const isHeaderValue = (value: string): boolean => isHeaderText(value) && value === value.trim()
