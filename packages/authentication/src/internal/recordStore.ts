/** The stored record of one session: read, claimed, replaced. Never by an older session. */
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Session from "../Session.ts"
import * as SessionMachine from "./decision/model.ts"
import type { Stored, TokenStore } from "../TokenStore.ts"
import * as Records from "./decision/record.ts"
import { now } from "./clock.ts"

export interface Journal extends ReturnType<typeof make> {}

/** How often a holder renews its lease in the time after which it would count as dead. */
const renewalsPerLease = 4
/** How often a record may be changed under our hands before that counts as a failure of the store. */
const maxConflicts = 32

export const make = (
  store: TokenStore["Service"],
  identity: SessionMachine.Identity,
  timing: { readonly storeTimeout: Duration.Duration; readonly leaseTimeout: Duration.Duration }
) => {
  /**
   * A store that never answers is one that fails. The operation itself goes on: it is under a version, and what it does
   * late is found like what somebody else has done.
   */
  const bounded = <A, E>(
    operation: TokenStoreError["operation"],
    effect: Effect.Effect<A, E>,
    duration: Duration.Duration = timing.storeTimeout
  ) =>
    Effect.flatMap(Effect.forkDetach(effect), (fiber) =>
      Effect.timeoutOrElse(Effect.interruptible(Fiber.join(fiber)), {
        duration,
        orElse: () =>
          Effect.fail(new TokenStoreError({ operation, reason: `no answer within ${Duration.format(duration)}` }))
      })
    )

  /** The stored record, or an empty one under version 0. */
  const load: Effect.Effect<Stored, TokenStoreError> = Effect.map(
    bounded("load", store.load(identity.name)),
    Option.getOrElse(() => ({ version: 0, record: Session.empty(identity.environment) }))
  )

  /** Under a lease, a store that hangs once is not waited for until the lease has run out. */
  const briefly = Duration.divideUnsafe(timing.leaseTimeout, renewalsPerLease)

  /** Writes a record if nobody was faster: its new version, or none. `written` hears of it also when nobody waits any more. */
  const replace = (
    version: number,
    next: Session.SessionRecord,
    written: (version: number) => void = () => {},
    within?: Duration.Duration
  ): Effect.Effect<Option.Option<number>, TokenStoreError> =>
    bounded(
      "compareAndSwap",
      Effect.tap(store.compareAndSwap(identity.name, version, next), (stored) => Effect.sync(() => written(stored))),
      within
    ).pipe(
      Effect.asSome,
      Effect.catchTag("VersionConflict", () => Effect.succeedNone)
    )

  const failed = (reason: string) => new TokenStoreError({ operation: "compareAndSwap", reason })

  /**
   * Writes a new session over whatever is older, whatever has happened to the record since it had the version given;
   * gives the session that stands in the end.
   */
  const persist = Effect.fnUntraced(function* (
    record: Session.SessionRecord,
    version?: number
  ): Effect.fn.Return<Session.Session | undefined, TokenStoreError> {
    if (version !== undefined) {
      const written = yield* Effect.timeoutOption(replace(version, record), briefly)
      if (Option.isSome(Option.flatten(written))) return record.session
    }
    for (let conflicts = 0; conflicts < maxConflicts; conflicts++) {
      const stored = yield* load
      const foreign = Records.belongs(identity, stored.record)
      if (foreign !== undefined) return yield* failed(foreign.message)
      const next = SessionMachine.reconcile(stored.record, record)
      if (next === undefined) return stored.record.session
      if (Option.isSome(yield* replace(stored.version, next))) return next.session
    }
    return yield* failed("the record is changed faster than it can be written")
  })

  /** The version of the record whose lease is still ours, if it is. */
  const stillOurs = (owner: string) =>
    Effect.map(load, ({ record, version }) => (record.lease?.owner === owner ? Option.some(version) : Option.none()))

  /**
   * Does a piece of work while the lease of a claimed record is renewed; gives the version to go on from. A renewal that
   * fails is tried again; one that comes too late ends the renewing, not the work.
   */
  const whileRenewing = Effect.fnUntraced(function* <A>(
    claimed: { readonly version: number; readonly record: Session.SessionRecord; readonly owner: string },
    work: Effect.Effect<A>
  ) {
    const { owner, record } = claimed
    let version = claimed.version
    const written = (stored: number) => {
      version = Math.max(version, stored)
    }
    const renew = Effect.gen(function* () {
      const renewedAt = yield* now
      const renewed = yield* replace(version, { ...record, lease: { owner, renewedAt } }, written, briefly)
      if (Option.isSome(renewed)) return true
      const current = yield* stillOurs(owner)
      if (Option.isSome(current)) written(current.value)
      return Option.isSome(current)
    }).pipe(Effect.orElseSucceed(() => true))
    const renewal = yield* Effect.sleep(briefly).pipe(
      Effect.andThen(Effect.uninterruptible(renew)),
      Effect.repeat({ while: (isOurs) => isOurs }),
      Effect.interruptible,
      Effect.forkChild
    )
    const result = yield* work
    yield* Fiber.interrupt(renewal)
    return { result, version }
  })

  return { load, replace, persist, whileRenewing }
}
