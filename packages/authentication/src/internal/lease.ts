/** The lease in the record: one rotation at a time over all processes and hosts. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { keyOf, type SessionRecord } from "../Session.ts"
import type { Stored } from "../TokenStore.ts"
import { growing, untilSuccess } from "./attempts.ts"
import { now, uptime, uptimeOf } from "./clock.ts"
import type { LeaseState } from "./decision/model.ts"
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
const seenOf = ({ record: { lease }, version }: Stored): string =>
  `${version} ${lease?.owner} ${lease?.renewedAt} ${lease?.isChallenged}`

/** The watch after one more look at a record. */
export const look = (watch: Watch, stored: Stored): Watch => {
  const seen = seenOf(stored)
  return watch.seen === seen ? watch : { seen, millis: 0 }
}

/** The part of a lease after which a silent holder is challenged. It has the rest of it to answer. */
const untilChallenge = 0.5

/** The state of the lease on a record that had been watched so far when the look at it began. */
export const stateOf = (before: Watch, stored: Stored, leaseTimeout: number): LeaseState => {
  const { lease } = stored.record
  const watched = before.seen === seenOf(stored) ? before.millis : 0
  if (lease?.isChallenged === true) return watched >= leaseTimeout * (1 - untilChallenge) ? "Dead" : "Alive"
  return watched >= leaseTimeout * untilChallenge ? "Silent" : "Alive"
}

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
  /** The uptime at which the write of the claim began. Other processes may have watched the lease since then. */
  readonly askedAt: number
}

/** How many renewals may fail before the holder itself must not rely on the lease any more: others may take it after four. */
const reliable = 3

/**
 * Runs an effect while the lease is renewed, and returns the version to write over next. A renewal begins one interval
 * after the one before, whether that has succeeded or not. If another process takes the lease, the renewals stop, the
 * effect continues, and no version is returned: after a restore, the same version number may belong to a record of
 * another process. The effect can ask, at any moment, whether the lease is certainly still held.
 */
export const whileRenewing = Effect.fnUntraced(function* <A>(
  store: RecordStore,
  interval: Duration.Duration,
  { askedAt, owner, record, version: claimed }: Claimed,
  effect: (isHeld: () => boolean) => Effect.Effect<A>
) {
  const clock = yield* Clock.Clock
  /** Our last version, as far as is known; `isCurrent`: it may be written over. `undefined`: the lease is another's. */
  const ours = yield* Ref.make<{ readonly version: number; readonly isCurrent: boolean } | undefined>({
    version: claimed,
    isCurrent: true
  })
  const current = Effect.map(Ref.get(ours), (last) => (last?.isCurrent === true ? last.version : undefined))
  /** Opened when a version is known to be current. */
  const known = yield* Latch.make(true)
  const heldSince = MutableRef.make(askedAt)
  /** An acknowledgement that comes late may explain a conflict: the record was written by ourselves. */
  const onWritten = Effect.fnUntraced(function* (version: number) {
    const isNewer = yield* Ref.modify(ours, (before) =>
      before !== undefined && version > before.version ? [true, { version, isCurrent: true }] : [false, before]
    )
    if (isNewer) yield* known.open
  })

  /** After a conflict, reads the record again. */
  const readAgain = Effect.gen(function* () {
    const { record: stored, version } = yield* untilSuccess(store.load, growing(interval))
    // A restored record may hold an old lease of this process, on another session than the one it has claimed.
    const { lease, session } = stored
    const isSame = (session && keyOf(session)) === (record.session && keyOf(record.session))
    if (lease?.owner !== owner || !isSame) {
      MutableRef.set(heldSince, -Infinity)
      yield* Ref.set(ours, undefined)
      return "Taken"
    }
    yield* Ref.set(ours, { version, isCurrent: true })
    return "Changed"
  })

  /** Renews once. `Changed`: the record was written meanwhile, by a challenge or by an earlier renewal that was slow. */
  const renewOnce = Effect.gen(function* () {
    const from = uptimeOf(clock)
    const renewed = { ...record, lease: { owner, renewedAt: yield* now } }
    const expected = yield* current
    const written = yield* store.replace(expected, renewed, { onWritten, within: interval })
    if (Option.isSome(written)) {
      MutableRef.set(heldSince, from)
      return "Renewed"
    }
    yield* known.close
    // Unless an acknowledgement has come meanwhile, the record has to be read.
    const isKnown = yield* Ref.modify(ours, (last) =>
      last?.version === expected ? [false, last && { ...last, isCurrent: false }] : [true, last]
    )
    if (isKnown) return "Changed"
    return yield* Effect.interruptible(Effect.raceFirst(readAgain, Effect.as(known.await, "Changed" as const)))
  })
  const renew = Effect.repeat(renewOnce, { times: 2, while: (state) => state === "Changed" })

  const renewing = yield* Effect.gen(function* () {
    // Others may have watched the lease since the write of the claim began, however late it was acknowledged.
    let beganAt = askedAt
    let state: "Renewed" | "Changed" | "Taken" | "Failed"
    do {
      // If the interval is over already, because the store was slow, no further time is lost.
      yield* Effect.sleep(Math.max(0, beganAt + Duration.toMillis(interval) - uptimeOf(clock)))
      beganAt = uptimeOf(clock)
      state = yield* Effect.uninterruptible(Effect.orElseSucceed(renew, () => "Failed" as const))
    } while (state !== "Taken")
  }).pipe(Effect.interruptible, Effect.forkChild)
  const result = yield* effect(() => uptimeOf(clock) - heldSince.current < reliable * Duration.toMillis(interval))
  yield* Fiber.interrupt(renewing)
  return { result, version: yield* current }
})
