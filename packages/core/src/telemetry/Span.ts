/**
 * Spans that do not show the value or the error of their effect, because an answer may hold anything.
 *
 * @stability unstable
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/**
 * `true` if a span would be exported: the tracer is not Effect's default, which exports nothing, and the surrounding
 * trace is sampled.
 */
export const isTraced = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean =>
  cache.tracer !== undefined &&
  cache.tracer !== Tracer.nativeTracer &&
  cache.tracerEnabled &&
  cache.span?.sampled !== false

export type Attributes = Readonly<Record<string, unknown>>

export interface End {
  readonly attributes: Attributes
  /** The name of the failure, without data; `undefined` after a success. */
  readonly failure: string | undefined
}

const spanExit = (exit: Exit.Exit<unknown, unknown>, failure: string | undefined): Exit.Exit<void, unknown> => {
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return Exit.interrupt()
  if (failure === undefined) return Exit.void
  // Exporters take the name and the message of an `Error`.
  return Exit.fail(Object.assign(new Error(failure), { name: failure, stack: failure }))
}

/** Drops attributes without a value, because an exporter would write the text "undefined". */
const dropUndefined = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))

/** Runs an effect in a span if one would be exported. Calls `describe` once, at the end of the effect. */
export const follow = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  name: string,
  { attributes, kind }: { readonly kind: Tracer.SpanKind; readonly attributes: Attributes },
  describe: (exit: Exit.Exit<A, E>) => End
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!isTraced(fiber)) return Effect.onExit(effect, (exit) => Effect.sync(() => describe(exit)))
    return Effect.flatMap(Effect.makeSpan(name, { kind, attributes: dropUndefined(attributes) }), (span) => {
      const clock = fiber.getRef(Clock.Clock)
      const isTimed = fiber.getRef(References.TracerTimingEnabled)
      return Effect.onExit(Effect.provideService(effect, Tracer.ParentSpan, span), (exit) =>
        Effect.sync(() => {
          const end = describe(exit)
          for (const [key, value] of Object.entries(dropUndefined(end.attributes))) span.attribute(key, value)
          span.end(isTimed ? clock.currentTimeNanosUnsafe() : 0n, spanExit(exit, end.failure))
        })
      )
    })
  })

/** Runs several calls in one span. The span shows only the tag of an error. */
export const around =
  (name: string) =>
  <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    follow(effect, name, { kind: "internal", attributes: {} }, (exit) => {
      const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
      const failure = Exit.isSuccess(exit) ? undefined : (error?._tag ?? "defect")
      return { attributes: { "error.type": failure }, failure }
    })

/** The W3C `traceparent` header of the surrounding span, if any. */
export const traceparent = (context: Context.Context<never>): string | undefined =>
  Option.match(Context.getOption(context, Tracer.ParentSpan), {
    onNone: () => undefined,
    onSome: ({ sampled, spanId, traceId }) => `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`
  })
