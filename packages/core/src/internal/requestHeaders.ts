/** The headers that the calls of a scope carry beside the SDK's own, and what a header can carry. */
import * as Context from "effect/Context"

/** By name in lower case. */
export const RequestHeaders = Context.Reference<Readonly<Record<string, string>> | undefined>(
  "@effect-custody/core/RequestHeaders",
  { defaultValue: () => undefined }
)

/** Whether a header can carry a value: visible characters of Latin-1, with spaces and tabs only inside. */
export const isHeaderValue = (value: string): boolean =>
  /^[\t\x20-\x7e\x80-\xff]+$/.test(value) && value === value.trim()
