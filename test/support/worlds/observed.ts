/** Records everything that a program makes visible: its logs at every level, and its spans with their ends. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"

const json = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    return String(error)
  }
}

/** Prints a value in every way. */
export const printed = (value: unknown): string =>
  [
    inspect(value, { depth: 20, getters: true, maxStringLength: Infinity }),
    String(value),
    json(value),
    ...(value instanceof Error ? [value.message, value.stack] : [])
  ].join("\n")

/** Prints an exit in every way. */
export const printedExit = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit)
    ? printed(exit.value)
    : [
        Cause.pretty(exit.cause),
        printed(exit.cause),
        ...exit.cause.reasons.map((reason) => printed(reason._tag === "Fail" ? reason.error : reason)),
        ...exit.cause.reasons.map(({ annotations }) => printed(annotations))
      ].join("\n")

export interface Observed {
  readonly logs: ReadonlyArray<string>
  readonly spans: ReadonlyArray<Tracer.NativeSpan>
  /** Everything as text, after the end of the program. */
  readonly text: () => string
}

/** Makes a layer that observes a program, and the access to its records. */
export const observe = (): readonly [Observed, Layer.Layer<never>] => {
  const logs: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const layer = Layer.mergeAll(
    Logger.layer([
      Logger.make((options) => {
        const { cause, fiber, logLevel, message } = options
        const annotations = fiber.getRef(References.CurrentLogAnnotations)
        logs.push([logLevel, printed(message), printedExit(Exit.failCause(cause)), printed(annotations)].join("\n"))
        logs.push(Logger.formatJson.log(options))
      })
    ]),
    Layer.succeed(References.MinimumLogLevel, "Trace"),
    Layer.succeed(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
    )
  )
  const spanText = (span: Tracer.NativeSpan) =>
    [
      span.name,
      printed([...span.attributes]),
      printed(span.events),
      span.status._tag === "Ended" ? printedExit(span.status.exit) : "not ended"
    ].join("\n")
  return [{ logs, spans, text: () => [...logs, ...spans.map(spanText)].join("\n") }, layer]
}

/** Runs a program and returns everything that it makes visible: its end, its logs, its spans. */
export const everythingSeen = <A, E, R>(program: Effect.Effect<A, E, R>) => {
  const [observed, layer] = observe()
  return Effect.map(Effect.exit(Effect.provide(program, layer)), (exit) => ({
    exit,
    observed,
    text: `${printedExit(exit)}\n${observed.text()}`
  }))
}
