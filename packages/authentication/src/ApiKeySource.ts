/** Provides a new API key when a session is lost. Without a source, a person has to call `TokenService.start`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

/**
 * Provides API keys that were never used.
 *
 * @since 0.1.0
 * @category models
 */
export interface ApiKeySource {
  /**
   * A new, unused key for the session of this identity, or none for now. Called at most once per cooldown. No answer
   * within 30 seconds counts as none.
   */
  readonly next: (identity: string) => Effect.Effect<Option.Option<Redacted.Redacted>>
}

/**
 * The source of API keys. Default: none. With a source, a lost session starts again by itself.
 *
 * Specification: "Flow", step 4: "obtain a new API key and start a new session".
 *
 * @example
 * ```ts
 * import { ApiKeySource } from "@effect-custody/authentication"
 * import { Effect, Layer, Option, Redacted } from "effect"
 *
 * const source = Layer.succeed(ApiKeySource, {
 *   next: (identity) => Effect.sync(() => Option.some(Redacted.make(`a fresh key for ${identity}`)))
 * })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export const ApiKeySource = Context.Reference<ApiKeySource>("@effect-custody/authentication/ApiKeySource", {
  defaultValue: () => ({ next: () => Effect.succeedNone })
})
