/**
 * Defects of code outside the SDK: a store, a source of API keys, an `HttpClient`, a hook. Such code can throw anything,
 * even a token. So logs name the class of the value, and never print the value.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as OperatorLog from "./OperatorLog.ts"

/**
 * Receives the cause of a defect in code that you provide. The cause **may hold secrets**: the SDK logs only what failed
 * and the class of the error, and continues. The default does nothing. The SDK ignores a failure of the receiver.
 *
 * @example
 * ```ts
 * import { onDefect } from "@effect-custody/core"
 * import { Cause, Effect, Layer } from "effect"
 *
 * const debugging = Layer.succeed(onDefect, ({ cause, during }) => Effect.logDebug(during, Cause.pretty(cause)))
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const onDefect = Context.Reference<
  (defect: {
    /** What failed, such as `the source of API keys failed`. */
    readonly during: string
    readonly cause: Cause.Cause<unknown>
  }) => Effect.Effect<void>
>("@effect-custody/core/onDefect", { defaultValue: () => () => Effect.void })

/** Reads the name of a value's class from its prototype: the value's own properties can say anything. */
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
 * Logs a failure of foreign code with the class of the thrown value, and passes the cause to {@link onDefect}.
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
