/** The headers that the calls of a scope carry beside the SDK's own, and what a header can carry. */
import * as Context from "effect/Context"

/** By name in lower case. */
export const RequestHeaders = Context.Reference<Readonly<Record<string, string>> | undefined>(
  "@effect-custody/core/RequestHeaders",
  { defaultValue: () => undefined }
)

/** What a header can carry: visible characters of Latin-1, spaces and tabs, and neither of these two at an end. */
export const isHeaderValue = (value: string): boolean =>
  /^[\t\x20-\x7e\x80-\xff]+$/.test(value) && value === value.trim()
