/** The lease in the record: one rotation at a time over all processes and hosts. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { SessionRecord } from "../Session.ts"
import { now } from "./clock.ts"
import type { RecordStore } from "./recordStore.ts"

/** A name for the holder of a lease that no other process has. */
export const newOwner = SecureRandom.SecureRandom.use(({ randomBytes }) => randomBytes(16)).pipe(
  Effect.map(Hex.encode),
  Effect.provide(SecureRandom.layerWebCrypto),
  Effect.orDie
)

/** How often a holder renews its lease: four times before it would count as dead. */
export const renewalInterval = ({ leaseTimeout }: { readonly leaseTimeout: Duration.Duration }): Duration.Duration =>
  Duration.divideUnsafe(leaseTimeout, 4)

/** How long this process has seen a record unchanged. */
export interface Watch {
  readonly version: number
  readonly lookedAt: number
  readonly unchangedFor: number
}

export const unwatched: Watch = { version: -1, lookedAt: 0, unchangedFor: 0 }

/** One more look at a record. `longest` bounds what a look counts: a frozen process has not watched meanwhile. */
export const look = (watch: Watch, version: number, at: number, longest: number): Watch => ({
  version,
  lookedAt: at,
  unchangedFor: watch.version === version ? watch.unchangedFor + Math.min(Math.max(0, at - watch.lookedAt), longest) : 0
})

/** A record that is held under a lease. */
export interface Claimed {
  readonly owner: string
  readonly record: SessionRecord
  readonly version: number
}

/**
 * Runs an effect while the lease is renewed; gives the version to write over next. A renewal that fails is tried again;
 * once the lease is another's, the renewing ends and the effect goes on.
 */
export const whileRenewing = Effect.fnUntraced(function* <A>(
  store: RecordStore,
  interval: Duration.Duration,
  { owner, record, version: claimed }: Claimed,
  effect: Effect.Effect<A>
) {
  const version = yield* Ref.make(claimed)
  const onWritten = (written: number) => Ref.update(version, (known) => Math.max(known, written))

  /** Renews once; `false` if the lease is no longer ours. */
  const renew = Effect.gen(function* () {
    const renewed = { ...record, lease: { owner, renewedAt: yield* now } }
    const written = yield* store.replace(yield* Ref.get(version), renewed, { onWritten, within: interval })
    if (Option.isSome(written)) return true
    const current = yield* store.load
    if (current.record.lease?.owner !== owner) return false
    yield* onWritten(current.version)
    return true
  }).pipe(Effect.orElseSucceed(() => true))

  const renewing = yield* Effect.sleep(interval).pipe(
    Effect.andThen(Effect.uninterruptible(renew)),
    Effect.repeat({ while: (isOurs) => isOurs }),
    Effect.interruptible,
    Effect.forkChild
  )
  const result = yield* effect
  yield* Fiber.interrupt(renewing)
  return { result, version: yield* Ref.get(version) }
})
