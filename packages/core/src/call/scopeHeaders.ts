/** The headers that the scopes around a call add. */
import * as Context from "effect/Context"

/** Headers in addition to the SDK's own, by name in lower case. */
export const ScopeHeaders = Context.Reference<Readonly<Record<string, string>> | undefined>(
  "@effect-custody/core/RequestHeaders",
  { defaultValue: () => undefined }
)
