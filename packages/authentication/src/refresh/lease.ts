/**
 * The lease in the record: one rotation at a time over all processes and hosts. A process claims the record before it
 * sends a secret, and renews the lease while it waits for the answer. It watches the lease of another process, and judges
 * whether its holder is alive.
 *
 * Before a process sends an API key, it writes twice: the claim, then the mark that the key is about to be sent. Only
 * the mark makes the key count as spent. Before a process sends a refresh token, it writes only the claim. So a claimed
 * refresh token counts as possibly spent, even if it was never sent.
 */
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import type { Parts, Watch } from "../session/sessionState.ts"
import { now, readUptime, uptime } from "../store/clock.ts"
import { withoutClaims, withoutMarks } from "../store/record.ts"
import type { Base, RecordStore } from "../store/recordStore.ts"
import { pairId, type SessionRecord } from "../store/Session.ts"
import type { Stored } from "../store/TokenStore.ts"

export const newOwner = Effect.sync(() => Hex.encode(randomBytesUnsafe(16)))

/** The pause between renewals of a lease: a quarter of the time after which a silent holder counts as dead. */
export const renewalInterval = ({ leaseTimeout }: { readonly leaseTimeout: Duration.Duration }): Duration.Duration =>
  Duration.divideUnsafe(leaseTimeout, 4)

export interface Claimed {
  readonly owner: string
  readonly record: SessionRecord
  readonly version: number
  /**
   * The monotonic time (`uptime`) when the write of the claim began. Other processes may have watched the lease since
   * then.
   */
  readonly writeBeganAt: number
}

interface ToClaim {
  readonly record: SessionRecord
  readonly mark: string | undefined
}

export interface Claims extends ReturnType<typeof claims> {}

export const claims = ({ owner, state, store, timing }: Parts) => {
  const timeLimit = renewalInterval(timing)

  /** Writes a claim. Returns `undefined` if another process was faster. */
  const write = Effect.fnUntraced(function* (from: number, record: SessionRecord) {
    const writeBeganAt = yield* uptime
    const version = yield* store.replace(from, record)
    return Option.getOrUndefined(Option.map(version, (version) => ({ owner, record, version, writeBeganAt })))
  })

  /**
   * Withdraws this process's claims on API keys that were never sent. Withdraws nothing while another process holds the
   * lease, because the holder's next write would restore the claims. Returns `false` if the caller must try later.
   */
  const withdraw = Effect.gen(function* () {
    const { unsent } = yield* state.get
    if (unsent.length === 0) return true
    const { record, version } = yield* store.load
    const without = withoutClaims(record, owner, unsent)
    if (without !== record) {
      if (record.lease !== undefined && record.lease.owner !== owner) return false
      if (Option.isNone(yield* store.replace(version, without))) return false
    }
    yield* state.update((now) => ({ unsent: now.unsent.filter((one) => !unsent.includes(one)) }))
    return true
  })

  return {
    withdraw,
    /** Withdraws, within a time limit, the claims that a rotation left. The next rotation withdraws any that remain. */
    withdrawSoon: Effect.ignore(Effect.timeoutOption(withdraw, timeLimit)),
    /**
     * Claims the record. For an API key, also writes the mark. Returns `undefined` if the caller must load the record
     * again.
     */
    claim: Effect.fnUntraced(function* (stored: Stored, { mark, record }: ToClaim) {
      const others = (yield* state.get).unsent.filter((one) => one !== mark)
      if (mark !== undefined) yield* state.update({ unsent: [...others, mark] })
      const claim = withoutMarks(record, others)
      const claimed = yield* write(stored.version, claim)
      return claimed === undefined || mark === undefined
        ? claimed
        : yield* write(claimed.version, { ...claim, spentKeys: [...claim.spentKeys, mark] })
    })
  }
}

/**
 * After this many intervals without a renewal, this process stops relying on its lease: other processes may take the
 * lease after four intervals.
 */
const maxMissedRenewals = 3

export type Holding =
  | {
      readonly _tag: "Held"
      readonly version: number
      /** `false` after a conflict, until this process knows the version of the stored record. */
      readonly isCurrent: boolean
      /** The uptime at the beginning of the last write that has certainly renewed the lease. */
      readonly since: number
    }
  /** Another process has the lease. */
  | { readonly _tag: "Taken" }

/** Decides whether this process still has its lease: compares the record of its claim with `stored`, loaded now. */
export const afterRead = (
  { owner, record }: Pick<Claimed, "owner" | "record">,
  before: Holding,
  { record: stored, version }: Stored
): Holding => {
  if (before._tag === "Taken") return before
  // A lease of this process counts only if the stored record also has the claimed session. A restored backup may have
  // an old lease of this process, and another session.
  const { lease, session } = stored
  const isSame = (session && pairId(session)) === (record.session && pairId(record.session))
  if (lease?.owner !== owner || !isSame) {
    // A lower version comes from a replica or a backup, and does not show who has the lease. Until a renewal succeeds,
    // the lease does not count as held.
    return version >= before.version ? { _tag: "Taken" } : { ...before, since: -Infinity }
  }
  // A read that began before this process completed a write may return an older version. So as long as no write has met
  // a conflict (`isCurrent`), only a higher version counts as a change.
  const isNews = before.isCurrent ? version > before.version : version !== before.version
  return isNews ? { ...before, version, isCurrent: true } : before
}

/**
 * Runs an effect, and renews the lease meanwhile. Returns the result, and the stored record that the next write must
 * replace. A renewal begins in each interval, even if the previous renewal hangs. If another process takes the lease,
 * the effect continues, and `isHeld` returns `false`.
 */
export const whileRenewing = Effect.fnUntraced(function* <A>(
  store: RecordStore,
  interval: Duration.Duration,
  { writeBeganAt, owner, record, version: claimed }: Claimed,
  effect: (isHeld: () => boolean) => Effect.Effect<A>
): Effect.fn.Return<{ readonly result: A; readonly base: Base }, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const holding = yield* Ref.make<Holding>({ _tag: "Held", version: claimed, isCurrent: true, since: writeBeganAt })

  /**
   * Records the answer to a renewal that began at `from` and replaced `version`. A late answer counts too: a conflict
   * makes this process load the record, and an acknowledgement ends a conflict, because it shows that this process
   * itself wrote the new version.
   */
  const answered = (from: number, version: number) => (written: Option.Option<number>) =>
    Ref.update(holding, (before): Holding => {
      if (before._tag === "Taken") return before
      if (Option.isNone(written)) return before.version === version ? { ...before, isCurrent: false } : before
      return written.value > before.version
        ? { _tag: "Held", version: written.value, isCurrent: true, since: Math.max(before.since, from) }
        : before
    })

  /** Renews once; after a conflict, first loads the record. Returns `true` to try again at once. */
  const renewOnce = Effect.gen(function* () {
    const before = yield* Ref.get(holding)
    if (before._tag === "Held" && !before.isCurrent) {
      const stored = yield* store.load
      yield* Ref.update(holding, (now) => afterRead({ owner, record }, now, stored))
    }
    const known = yield* Ref.get(holding)
    if (known._tag === "Taken" || !known.isCurrent) return false
    const renewed = { ...record, lease: { owner, renewedAt: yield* now } }
    const onAnswer = answered(readUptime(clock), known.version)
    return Option.isNone(yield* store.replace(known.version, renewed, { onAnswer, within: interval }))
  })
  const renew = Effect.ignore(Effect.repeat(renewOnce, { times: 4, while: (isAgain) => isAgain }))

  const renewals = yield* FiberSet.make()
  // The first interval starts when the write of the claim began, because other processes may have watched the lease
  // since then.
  const first = Math.max(0, writeBeganAt + Duration.toMillis(interval) - readUptime(clock))
  const renewing = yield* Effect.sleep(first).pipe(
    Effect.andThen(Effect.forever(Effect.andThen(FiberSet.run(renewals, renew), Effect.sleep(interval)))),
    Effect.interruptible,
    Effect.forkChild
  )
  const isHeld = () => {
    const known = Ref.getUnsafe(holding)
    return known._tag === "Held" && readUptime(clock) - known.since < maxMissedRenewals * Duration.toMillis(interval)
  }
  const result = yield* effect(isHeld)
  yield* Fiber.interrupt(renewing)
  yield* FiberSet.clear(renewals)
  const last = yield* Ref.get(holding)
  return { result, base: { version: last._tag === "Held" && last.isCurrent ? last.version : undefined, record } }
})

/**
 * The state of another process's lease. `Silent`: not renewed for half of the lease timeout. `Dead`: not renewed after
 * a challenge either. The challenge is a write to the record, so it also proves that the store takes writes.
 */
export type LeaseState = "Alive" | "Silent" | "Dead"

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
