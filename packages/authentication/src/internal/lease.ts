/** The lease in the record: one rotation at a time over all processes and hosts. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { keyOf, type SessionRecord } from "../Session.ts"
import type { Stored } from "../TokenStore.ts"
import { untilSuccess } from "./attempts.ts"
import { now, uptime, uptimeOf } from "./clock.ts"
import type { LeaseState } from "./decision/model.ts"
import type { Base, RecordStore } from "./recordStore.ts"

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
  /** The version of the record. 0: none was watched. */
  readonly version: number
  readonly millis: number
}

export const unwatched: Watch = { version: 0, millis: 0 }

/** The watch after one more look at a record. */
export const look = (watch: Watch, { version }: Stored): Watch =>
  watch.version === version ? watch : { version, millis: 0 }

/** The part of a lease after which a silent holder is challenged. It has the rest of it to answer. */
const untilChallenge = 0.5

/** The state of the lease on a record that had been watched so far when the look at it began. */
export const stateOf = (before: Watch, stored: Stored, leaseTimeout: number): LeaseState => {
  const { lease } = stored.record
  const watched = before.version === stored.version ? before.millis : 0
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

/** What a holder knows of its lease. */
export type Holding =
  | {
      readonly _tag: "Held"
      /** The last version of the record that it knows of. */
      readonly version: number
      /** `false` after a conflict: the stored record has another version by then. */
      readonly isCurrent: boolean
      /** The uptime at which the last write began that has certainly renewed the lease. */
      readonly since: number
    }
  /** Another process has the lease. */
  | { readonly _tag: "Taken" }

/** What a holder knows of its lease after it has read the record. `record` is the one that it has claimed. */
export const afterRead = (
  { owner, record }: Pick<Claimed, "owner" | "record">,
  before: Holding,
  { record: stored, version }: Stored
): Holding => {
  if (before._tag === "Taken") return before
  // A restored record may hold an old lease of this process, on another session than the one it has claimed.
  const { lease, session } = stored
  const isSame = (session && keyOf(session)) === (record.session && keyOf(record.session))
  const isOurs = lease?.owner === owner && isSame
  // An older record without our lease comes from a replica, or from a backup. It is read again; after a conflict the
  // lease counts as uncertain until then.
  if (!isOurs && version >= before.version) return { _tag: "Taken" }
  if (!isOurs) return before.isCurrent || before.since === -Infinity ? before : { ...before, since: -Infinity }
  // The read may have begun before the conflict, or before a write of this process was done.
  const isNews = before.isCurrent ? version > before.version : version !== before.version
  return isNews ? { ...before, version, isCurrent: true } : before
}

/**
 * Runs an effect while the lease is renewed, and returns the record to write over next. A renewal begins one interval
 * after the one before, whether that has succeeded or not. If another process takes the lease, the renewals stop, and the
 * effect continues. The effect can ask, at any moment, whether the lease is certainly still held. A renewal that is not
 * acknowledged when the effect ends is not waited for; a read that is under way then continues until the scope closes.
 */
export const whileRenewing = Effect.fnUntraced(function* <A>(
  store: RecordStore,
  interval: Duration.Duration,
  { askedAt, owner, record, version: claimed }: Claimed,
  effect: (isHeld: () => boolean) => Effect.Effect<A>
): Effect.fn.Return<{ readonly result: A; readonly base: Base }, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  // Two handles, so that a hanging read from before a conflict does not block a fresh one.
  const reading = yield* FiberHandle.make()
  const readingAfterConflict = yield* FiberHandle.make()
  const holding = yield* SubscriptionRef.make<Holding>({
    _tag: "Held",
    version: claimed,
    isCurrent: true,
    since: askedAt
  })
  /** Waits until what is known satisfies a condition. */
  const until = (isKnown: (now: Holding) => boolean) =>
    Stream.runHead(Stream.filter(SubscriptionRef.changes(holding), isKnown))

  /** Records an acknowledged renewal. It may come late, and explain a conflict: this process has written the record. */
  const acknowledged = (from: number) => (version: number) =>
    SubscriptionRef.update(holding, (before): Holding =>
      before._tag === "Held" && version > before.version
        ? { _tag: "Held", version, isCurrent: true, since: Math.max(before.since, from) }
        : before
    )
  const conflicted = (version: number) =>
    SubscriptionRef.update(holding, (before) =>
      before._tag === "Held" && before.version === version ? { ...before, isCurrent: false } : before
    )

  /** Reads the record until its version is known, unless such a read is under way. */
  const read = (handle: FiberHandle.FiberHandle) =>
    Effect.flatMap(store.load, (stored) =>
      SubscriptionRef.updateAndGet(holding, (before) => afterRead({ owner, record }, before, stored))
    ).pipe(
      Effect.filterOrFail((now) => now._tag === "Taken" || now.isCurrent),
      (attempt) => Effect.interruptible(untilSuccess(attempt, interval)),
      FiberHandle.run(handle, { onlyIfMissing: true })
    )

  /** Renews once. `Changed`: the record was written meanwhile, by a challenge or by an earlier renewal that was slow. */
  const renewOnce = Effect.gen(function* () {
    const known = yield* SubscriptionRef.get(holding)
    if (known._tag === "Taken") return "Taken"
    const changed = until((now) => now !== known)
    if (!known.isCurrent) return yield* Effect.as(changed, "Changed" as const)
    const from = uptimeOf(clock)
    const renewed = { ...record, lease: { owner, renewedAt: yield* now } }
    const replace = store.replace(known.version, renewed, { onWritten: acknowledged(from), within: interval }).pipe(
      // It may have been written all the same.
      Effect.tapError(() => read(reading)),
      Effect.tap((written) =>
        Option.isNone(written)
          ? Effect.uninterruptible(Effect.andThen(conflicted(known.version), read(readingAfterConflict)))
          : Effect.void
      )
    )
    // If a newer version is learned meanwhile, this write can only conflict.
    yield* Effect.raceFirst(replace, changed)
    const after = yield* SubscriptionRef.get(holding)
    return after._tag === "Held" && after.since >= from ? "Renewed" : "Changed"
  })
  const renew = Effect.repeat(renewOnce, { times: 4, while: (state) => state === "Changed" })

  const renewing = yield* Effect.gen(function* () {
    // Others may have watched the lease since the write of the claim began, however late it was acknowledged.
    let beganAt = askedAt
    let state: "Renewed" | "Changed" | "Taken" | "Failed"
    do {
      // If the interval is over already, because the store was slow, no further time is lost.
      yield* Effect.sleep(Math.max(0, beganAt + Duration.toMillis(interval) - uptimeOf(clock)))
      beganAt = uptimeOf(clock)
      state = yield* Effect.orElseSucceed(renew, () => "Failed" as const)
    } while (state !== "Taken")
  }).pipe(Effect.interruptible, Effect.forkChild)
  const isHeld = () => {
    const known = SubscriptionRef.getUnsafe(holding)
    return known._tag === "Held" && uptimeOf(clock) - known.since < reliable * Duration.toMillis(interval)
  }
  const result = yield* effect(isHeld)
  yield* Fiber.interrupt(renewing)

  const last = yield* SubscriptionRef.get(holding)
  const version = last._tag === "Held" && last.isCurrent ? last.version : undefined
  // Gives each version once: one that was given and is asked for again has conflicted.
  const given = yield* Ref.make(version)
  const found = Effect.gen(function* () {
    const before = yield* Ref.get(given)
    if (before !== undefined) yield* conflicted(before)
    yield* until((now) => now._tag === "Held" && now.isCurrent)
    const known = SubscriptionRef.getUnsafe(holding)
    if (known._tag === "Taken") return yield* Effect.never
    yield* Ref.set(given, known.version)
    return { version: known.version, record }
  })
  return { result, base: { version, record, found } }
})
