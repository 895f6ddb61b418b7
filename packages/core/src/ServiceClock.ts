/**
 * How far our clock is ahead of the service's, by the `Date` header of its answers. Use it to compare our times with
 * the service's.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"

/**
 * The `Ref` in which the transport stores, with each answer, how far our clock is ahead: negative if it is behind. Without
 * one, nothing is stored.
 *
 * @since 0.1.0
 * @category services
 * @example
 * ```ts
 * import { ServiceClock } from "@effect-custody/core"
 * import { Vaults } from "@effect-custody/sdk"
 * import { Duration, Effect, Ref } from "effect"
 *
 * const ahead = Effect.gen(function* () {
 *   const ref = yield* Ref.make(Duration.zero)
 *   yield* Vaults.details().pipe(Effect.provideService(ServiceClock.Ahead, ref))
 *   return yield* Ref.get(ref)
 * })
 * ```
 */
export const Ahead = Context.Reference<Ref.Ref<Duration.Duration> | undefined>(
  "@effect-custody/core/ServiceClock/Ahead",
  { defaultValue: () => undefined }
)

/**
 * Stores what the `Date` header of an answer shows, if {@link Ahead} is provided, then runs the effect.
 *
 * @since 0.1.0
 * @category observing
 */
export const observing = <A, E, R>(
  answer: { readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> },
  then: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const ahead = fiber.getRef(Ahead)
    if (ahead === undefined) return then
    const time = DateTime.make(String(answer.headers["date"] ?? ""))
    if (Option.isNone(time)) return then
    const observed = Effect.flatMap(DateTime.now, (now) =>
      Ref.set(ahead, Duration.millis(now.epochMilliseconds - time.value.epochMilliseconds))
    )
    return Effect.andThen(observed, then)
  })
