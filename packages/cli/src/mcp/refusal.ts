/** What an agent reads of a failure: the error's tag, and its message. */
import * as Schema from "effect/Schema"

export const Refusal = Schema.Struct({ error: Schema.String, message: Schema.String })

export const refusal = (error: { readonly _tag: string; readonly message: string }): typeof Refusal.Type => ({
  error: error._tag,
  message: error.message
})
