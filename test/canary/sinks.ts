/** Everything that a program makes visible, by name: what it prints, logs, traces, measures and ends with. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"

/** A sink and what came into it. */
export type Sinks = Readonly<Record<string, string>>

const shown = (value: unknown): string => inspect(value, { depth: 12, getters: true, maxStringLength: Infinity })

const json = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "undefined"
  } catch (error) {
    return String(error)
  }
}

/** A value in every way that it may be printed. */
export const printed = (value: unknown): string => [String(value), json(value), shown(value)].join("\n")

const ofError = (error: unknown): Sinks => ({
  "error.message": error instanceof Error ? `${error.name}: ${error.message}` : "",
  "error.stack": error instanceof Error ? `${error.stack}` : "",
  "error.toString": String(error),
  "error.toJSON": json(error),
  "util.inspect of the error": shown(error),
  "error.cause": error instanceof Error ? shown(error.cause) : ""
})

const ofExit = (exit: Exit.Exit<unknown, unknown>): Sinks => {
  if (Exit.isSuccess(exit)) return { result: printed(exit.value) }
  const { cause } = exit
  return {
    ...ofError(Cause.squash(cause)),
    "Cause.pretty": Cause.pretty(cause),
    "cause.toString": String(cause),
    "cause.toJSON": json(cause),
    "util.inspect of the exit": shown(exit),
    "Cause.prettyErrors": Cause.prettyErrors(cause).map(shown).join("\n"),
    "annotations of the cause": cause.reasons.map((reason) => shown(reason.annotations)).join("\n")
  }
}

/** Captures what the process itself prints while the effect runs. */
const capturing = (write: (sink: "stdout" | "stderr", text: string) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      // oxlint-disable-next-line typescript/unbound-method -- put back as they are.
      const before = [process.stdout.write, process.stderr.write, console.error, console.log] as const
      const to = (sink: "stdout" | "stderr") => (text: string | Uint8Array) => {
        write(sink, String(text))
        return true
      }
      process.stdout.write = to("stdout") as typeof process.stdout.write
      process.stderr.write = to("stderr") as typeof process.stderr.write
      console.error = (...parts) => write("stderr", parts.map(printed).join(" "))
      console.log = (...parts) => write("stdout", parts.map(printed).join(" "))
      return before
    }),
    ([stdout, stderr, error, log]) =>
      Effect.sync(() => {
        process.stdout.write = stdout
        process.stderr.write = stderr
        console.error = error
        console.log = log
      })
  )

/** Runs a program, which may add sinks of its own, and returns everything that it made visible. */
export const seen = <E>(
  program: (add: (sink: string, text: string) => void) => Effect.Effect<unknown, E>
): Effect.Effect<{ readonly sinks: Sinks; readonly exit: Exit.Exit<unknown, E> }> =>
  Effect.scoped(
    Effect.gen(function* () {
      const all = new Map<string, Array<string>>()
      const add = (sink: string, text: string) => void all.set(sink, [...(all.get(sink) ?? []), text])
      const spans: Array<Tracer.NativeSpan> = []
      const registry = new Map()
      const loggers = Logger.layer([
        Logger.make((options) => {
          add("log as text", Logger.formatSimple.log(options))
          add("log as logfmt", Logger.formatLogFmt.log(options))
          add("log as JSON", Logger.formatJson.log(options))
          add("log as an object", shown(Logger.formatStructured.log(options)))
          add("log message", [options.message].flat().map(printed).join("\n"))
        }),
        Logger.tracerLogger
      ])
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      yield* capturing(add)
      const exit = yield* Effect.exit(
        program(add).pipe(
          Effect.tapCause((cause) => Effect.logError("it failed", cause)),
          Effect.withSpan("program"),
          Effect.provide([loggers, Layer.succeed(References.MinimumLogLevel, "Trace")]),
          Effect.provideService(Tracer.Tracer, tracer),
          Effect.provideService(Metric.MetricRegistry, registry)
        )
      )
      const measured = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
      for (const span of spans) {
        add("span name and attributes", `${span.name} ${shown([...span.attributes])}`)
        add("span events", shown(span.events))
        add("span exit", span.status._tag === "Ended" ? Object.values(ofExit(span.status.exit)).join("\n") : "")
        add("util.inspect of the span", shown(span))
      }
      add("metrics", printed(measured))
      for (const [sink, text] of Object.entries(ofExit(exit))) add(sink, text)
      return { exit, sinks: Object.fromEntries([...all].map(([sink, texts]) => [sink, texts.join("\n")])) }
    })
  )
