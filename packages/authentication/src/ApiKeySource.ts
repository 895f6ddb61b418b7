/**
 * Where a new API key comes from when a session is lost. Without one, a person has to give it.
 *
 * Specification: "Flow", step 4: "obtain a new API key and start a new session".
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

/** Gives API keys that were never used. */
export interface ApiKeySource {
  /** A new, unused key for the session of an identity, or none now. Asked at most once per pause. */
  readonly next: (identity: string) => Effect.Effect<Option.Option<Redacted.Redacted>>
}

/**
 * The source in force: none, unless a layer says otherwise. With one, a session that is lost starts again by itself.
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
 */
export const ApiKeySource = Context.Reference<ApiKeySource>("@effect-custody/authentication/ApiKeySource", {
  defaultValue: () => ({ next: () => Effect.succeedNone })
})
