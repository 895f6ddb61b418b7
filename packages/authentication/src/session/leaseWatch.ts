/** Watches the lease of another process, and judges its holder: alive, silent or dead. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { uptime } from "../store/clock.ts"
import type { Stored } from "../store/TokenStore.ts"

/**
 * The state of another process's lease. `Silent`: not renewed for half of the lease timeout. `Dead`: not renewed after
 * a challenge either. The challenge is a write to the record, so it also proves that the store takes writes.
 */
export type LeaseState = "Alive" | "Silent" | "Dead"

/** How long this process has watched an unchanged record, summed over all calls. */
export interface Watch {
  readonly version: number
  readonly millis: number
}

export const unwatched: Watch = { version: 0, millis: 0 }

export const look = (watch: Watch, { version }: Stored): Watch =>
  watch.version === version ? watch : { version, millis: 0 }

/** A silent holder is challenged after this fraction of the lease timeout. The rest is the holder's time to answer. */
const challengeAfter = 0.5

/** Judges the lease of a loaded record. `before` is the watch when the load began. */
export const judge = (before: Watch, stored: Stored, leaseTimeout: number): LeaseState => {
  const { lease } = stored.record
  const watched = before.version === stored.version ? before.millis : 0
  if (lease?.isChallenged === true) return watched >= leaseTimeout * (1 - challengeAfter) ? "Dead" : "Alive"
  return watched >= leaseTimeout * challengeAfter ? "Silent" : "Alive"
}

const countInterval = "100 millis"
/**
 * The maximum number of milliseconds that one count adds. In a longer gap this process was frozen, and the holder may
 * have been frozen too.
 */
const maxCount = 200

/** Runs an effect, and counts the time in which this process is awake while the effect runs. */
export const watching = <A, E>(
  effect: Effect.Effect<A, E>,
  count: (millis: number) => Effect.Effect<void>
): Effect.Effect<A, E> =>
  Effect.flatMap(uptime, (startedAt) => {
    const countedAt = Ref.makeUnsafe(startedAt)
    const countNow = Effect.flatMap(uptime, (at) =>
      Effect.flatMap(Ref.getAndSet(countedAt, at), (before) => count(Math.min(Math.max(0, at - before), maxCount)))
    )
    const counting = Effect.forever(Effect.delay(countNow, countInterval))
    return Effect.tap(Effect.raceFirst(effect, counting), countNow)
  })
