/** What an agent reads: answers, and of a failure the error's tag and its message. */
import { escapeInvisible } from "@effect-custody/core/Text"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

export const Refusal = Schema.Struct({ error: Schema.String, message: Schema.String })

export const refusal = (error: { readonly _tag: string; readonly message: string }): typeof Refusal.Type => ({
  error: error._tag,
  message: escapeInvisible(error.message)
})

/** An answer whose texts hide nothing. The service, or who wrote a note, may have put something into one. */
export const visible = <A>(value: A): A => {
  const changed =
    typeof value === "string"
      ? escapeInvisible(value)
      : Array.isArray(value)
        ? value.map(visible)
        : Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype
          ? Object.fromEntries(Object.entries(value).map(([name, of]) => [escapeInvisible(name), visible(of)]))
          : value
  return changed as A
}
