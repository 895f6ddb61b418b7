/** The lease in the record: one rotation at a time over all processes and hosts. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { keyOf, type SessionRecord } from "../Session.ts"
import type { Stored } from "../TokenStore.ts"
import { now, uptime, uptimeOf } from "./clock.ts"
import type { LeaseState } from "./decision/model.ts"
import type { Base, RecordStore } from "./recordStore.ts"

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
  readonly version: number
  readonly millis: number
}

export const unwatched: Watch = { version: 0, millis: 0 }

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

export interface Claimed {
  readonly owner: string
  readonly record: SessionRecord
  readonly version: number
  /** The uptime at which the write of the claim began. Other processes may have watched the lease since then. */
  readonly askedAt: number
}

/** How many renewals may fail before the holder must not rely on the lease: others may take it after four. */
const reliable = 3

export type Holding =
  | {
      readonly _tag: "Held"
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
  if (lease?.owner !== owner || !isSame) {
    // An older record without our lease comes from a replica, or from a backup: the lease is uncertain, and is read again.
    return version >= before.version ? { _tag: "Taken" } : { ...before, since: -Infinity }
  }
  // The read may have begun before a write of this process was done.
  const isNews = before.isCurrent ? version > before.version : version !== before.version
  return isNews ? { ...before, version, isCurrent: true } : before
}

/**
 * Runs an effect while the lease is renewed, and returns the record to write over next. A renewal begins in each interval,
 * even if the one before hangs. If another process takes the lease, the effect continues: it can ask whether the lease is
 * held.
 */
export const whileRenewing = Effect.fnUntraced(function* <A>(
  store: RecordStore,
  interval: Duration.Duration,
  { askedAt, owner, record, version: claimed }: Claimed,
  effect: (isHeld: () => boolean) => Effect.Effect<A>
): Effect.fn.Return<{ readonly result: A; readonly base: Base }, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const holding = yield* Ref.make<Holding>({ _tag: "Held", version: claimed, isCurrent: true, since: askedAt })

  /** Records an acknowledged renewal. It may come late, and explain a conflict: this process has written the record. */
  const acknowledged = (from: number) => (version: number) =>
    Ref.update(holding, (before): Holding =>
      before._tag === "Held" && version > before.version
        ? { _tag: "Held", version, isCurrent: true, since: Math.max(before.since, from) }
        : before
    )
  const conflicted = (version: number) =>
    Ref.update(holding, (before) =>
      before._tag === "Held" && before.version === version ? { ...before, isCurrent: false } : before
    )

  /** Renews once, after a conflict by what the store has. Returns whether to try again at once. */
  const renewOnce = Effect.gen(function* () {
    const before = yield* Ref.get(holding)
    if (before._tag === "Held" && !before.isCurrent) {
      const stored = yield* store.load
      yield* Ref.update(holding, (now) => afterRead({ owner, record }, now, stored))
    }
    const known = yield* Ref.get(holding)
    if (known._tag === "Taken" || !known.isCurrent) return false
    const renewed = { ...record, lease: { owner, renewedAt: yield* now } }
    const onWritten = acknowledged(uptimeOf(clock))
    const written = yield* store.replace(known.version, renewed, { onWritten, within: interval })
    if (Option.isNone(written)) yield* conflicted(known.version)
    return Option.isNone(written)
  })
  const renew = Effect.ignore(Effect.repeat(renewOnce, { times: 4, while: (isAgain) => isAgain }))

  const renewals = yield* FiberSet.make()
  // Others may have watched the lease since the write of the claim began, however late it was acknowledged.
  const first = Math.max(0, askedAt + Duration.toMillis(interval) - uptimeOf(clock))
  const renewing = yield* Effect.sleep(first).pipe(
    Effect.andThen(Effect.forever(Effect.andThen(FiberSet.run(renewals, renew), Effect.sleep(interval)))),
    Effect.interruptible,
    Effect.forkChild
  )
  const isHeld = () => {
    const known = Ref.getUnsafe(holding)
    return known._tag === "Held" && uptimeOf(clock) - known.since < reliable * Duration.toMillis(interval)
  }
  const result = yield* effect(isHeld)
  yield* Fiber.interrupt(renewing)
  yield* FiberSet.clear(renewals)
  const last = yield* Ref.get(holding)
  return { result, base: { version: last._tag === "Held" && last.isCurrent ? last.version : undefined, record } }
})
