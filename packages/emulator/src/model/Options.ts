/**
 * The options of an emulator: any of its settings, and a snapshot to continue from.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type { Durations, Quirks } from "./Settings.ts"
import type { Snapshot } from "./Snapshot.ts"

/** Any of the settings in `S`, with durations in any form. */
type Input<S> = { readonly [K in keyof S]?: (S[K] extends Duration.Duration ? Duration.Input : S[K]) | undefined }

/**
 * Any of the {@link Quirks}.
 *
 * @since 0.1.0
 * @category models
 */
export interface QuirksInput extends Input<Quirks> {}

/**
 * Any of the {@link Durations}.
 *
 * @since 0.1.0
 * @category models
 */
export interface DurationsInput extends Input<Durations> {}

/**
 * The name of a set of faults that repeat for ever.
 *
 * - `flaky`: 1 request in 10 is reset, throttled or fails; 1 send in 10 is carried out without an answer;
 * - `late-arrivals`: 1 send in 5 is answered 504, and is carried out 2 s later.
 *
 * @since 0.1.0
 * @category models
 */
export type FaultProfile = "flaky" | "late-arrivals"

/**
 * A snapshot to continue from, and any of the {@link Settings}. Every setting has a default.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Default: 1. */
  readonly seed?: number | undefined
  /** Default: 15 minutes. */
  readonly tokenLifetime?: Duration.Input | undefined
  /** Default: `SEGREGATED`. */
  readonly vaultType?: "SEGREGATED" | "CONSOLIDATED" | undefined
  readonly durations?: DurationsInput | undefined
  readonly quirks?: QuirksInput | undefined
  readonly faults?: FaultProfile | undefined
  /** A snapshot to continue from. The other options override the snapshot's settings. */
  readonly snapshot?: Snapshot | undefined
}
