/** The lease in the record: one rotation at a time over all processes and hosts. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { SessionRecord } from "../Session.ts"
import type { Stored } from "../TokenStore.ts"
import { now, uptime } from "./clock.ts"
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

/** For how long this process has watched an unchanged record, over all of its calls. */
export interface Watch {
  /** What was seen of the record: its version and its lease. */
  readonly seen: string
  readonly millis: number
}

export const unwatched: Watch = { seen: "", millis: 0 }

/** Identifies a state of the record, even if its store was restored and repeats versions. */
const seenOf = ({ record: { lease }, version }: Stored): string => `${version} ${lease?.owner} ${lease?.renewedAt}`

/** The watch after one more look at a record. */
export const look = (watch: Watch, stored: Stored): Watch => {
  const seen = seenOf(stored)
  return watch.seen === seen ? watch : { seen, millis: 0 }
}

/** For how long a record had been watched, unchanged, when the look at it began. */
export const watchedFor = (before: Watch, stored: Stored): number =>
  before.seen === seenOf(stored) ? before.millis : 0

/** How often the watched time is counted. */
const countInterval = "100 millis"
/** The most that counts at once, in milliseconds: a frozen process has not watched, and the holder may be frozen too. */
const longestCount = 200

/** Runs an effect, and counts the time in which this process was awake meanwhile. */
export const watching = <A, E>(
  effect: Effect.Effect<A, E>,
  count: (millis: number) => Effect.Effect<void>
): Effect.Effect<A, E> =>
  Effect.flatMap(uptime, (startedAt) => {
    const countedAt = Ref.makeUnsafe(startedAt)
    const countNow = Effect.flatMap(uptime, (at) =>
      Effect.flatMap(Ref.getAndSet(countedAt, at), (before) => count(Math.min(Math.max(0, at - before), longestCount)))
    )
    const counting = Effect.forever(Effect.delay(countNow, countInterval))
    return Effect.tap(Effect.raceFirst(effect, counting), countNow)
  })

/** A record that is held under a lease. */
export interface Claimed {
  readonly owner: string
  readonly record: SessionRecord
  readonly version: number
}

/**
 * Runs an effect while the lease is renewed, and returns the version to write over next. A failed renewal is repeated. If
 * another process takes the lease, the renewals end and the effect continues.
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
