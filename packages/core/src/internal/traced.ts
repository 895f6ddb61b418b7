/** Client spans. None is made unless a tracer is provided. */
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"

/** Effect's default tracer, which exports nothing. */
const silent = Tracer.Tracer.defaultValue()

/** The effect in a span of a client, if a tracer listens. */
export const traced = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  name: string,
  attributes: Readonly<Record<string, unknown>>,
  /** Attributes to add when the effect has succeeded. */
  onSuccess: (value: A) => Readonly<Record<string, unknown>> = () => ({})
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(Tracer.Tracer) === silent
      ? effect
      : Effect.withSpan(
          Effect.tap(effect, (value) => Effect.annotateCurrentSpan(onSuccess(value))),
          name,
          { kind: "client", captureStackTrace: false, attributes }
        )
  )
