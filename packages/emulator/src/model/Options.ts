/**
 * The options of an emulator: some of its settings, and the snapshot that it continues from.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type { Durations, Quirks } from "./Settings.ts"
import type { Snapshot } from "./Snapshot.ts"

/** Some settings, with durations in any form. */
type Input<S> = { readonly [K in keyof S]?: (S[K] extends Duration.Duration ? Duration.Input : S[K]) | undefined }

/**
 * Some {@link Quirks}.
 *
 * @since 0.1.0
 * @category models
 */
export interface QuirksInput extends Input<Quirks> {}

/**
 * Some {@link Durations}.
 *
 * @since 0.1.0
 * @category models
 */
export interface DurationsInput extends Input<Durations> {}

/**
 * Some {@link Settings}. Each has a default.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Default: 1. */
  readonly seed?: number | undefined
  /** Default: 15 minutes. */
  readonly tokenLifetime?: Duration.Input | undefined
  readonly durations?: DurationsInput | undefined
  readonly quirks?: QuirksInput | undefined
  /** Continues from this snapshot and its settings. The other options override them. */
  readonly snapshot?: Snapshot | undefined
}
