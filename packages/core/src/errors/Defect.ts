/**
 * Defects of code outside the SDK: a store, a source of API keys, an `HttpClient`, a hook. Such code can throw any
 * value, even a token. So a log line shows the value's class, never the value.
 *
 * @stability unstable
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as OperatorLog from "./OperatorLog.ts"
import { onDefect } from "./SdkError.ts"

/** Reads the name of a value's class from its prototype, because the value's own properties can have any content. */
const className = (value: unknown): string => {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return typeof value
  try {
    const { constructor } = Object.getPrototypeOf(value) as { readonly constructor?: unknown }
    return typeof constructor === "function" && constructor.name !== "" ? constructor.name.slice(0, 64) : "Object"
  } catch {
    return "Object"
  }
}

/**
 * Logs a failure of code outside the SDK with the class of the thrown value, and passes the cause to {@link onDefect}.
 *
 * @category reporting
 * @since 0.1.0
 */
export const report = (during: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.andThen(
    OperatorLog.report(
      "code.defect",
      `${during}: ${Cause.hasInterruptsOnly(cause) ? "interruption" : className(Cause.squash(cause))}`
    ),
    Effect.flatMap(onDefect, (receive) => receive({ during, cause })).pipe(Effect.catchCause(() => Effect.void))
  )
