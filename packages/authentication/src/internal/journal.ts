/** The stored record of one session: read, claimed, replaced. Never by an older generation. */
import type { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Session from "../Session.ts"
import * as SessionMachine from "../SessionMachine.ts"
import type { Stored, TokenStore } from "../TokenStore.ts"

export const make = (store: TokenStore["Service"], identity: SessionMachine.Identity) => {
  /** The stored record, or an empty one under version 0. */
  const load: Effect.Effect<Stored, TokenStoreError> = Effect.map(
    store.load(identity.name),
    Option.getOrElse(() => ({ version: 0, record: Session.empty(identity.environment) }))
  )

  /** Writes a record if nobody was faster: its new version, or none. */
  const replace = (version: number, next: Session.SessionRecord) =>
    store.compareAndSwap(identity.name, version, next).pipe(
      Effect.asSome,
      Effect.catchTag("VersionConflict", () => Effect.succeed(Option.none<number>()))
    )

  /** Writes a new session, over whatever is older; gives the newer session that stands in its way, if one does. */
  const persist = Effect.fnUntraced(function* (
    version: number,
    record: Session.SessionRecord
  ): Effect.fn.Return<Session.Session | undefined, TokenStoreError> {
    let expected = version
    let next = record
    while (Option.isNone(yield* replace(expected, next))) {
      const stored = yield* load
      const merged = SessionMachine.reconcile(stored.record, record)
      if (merged === undefined) return stored.record.session
      expected = stored.version
      next = merged
    }
    return undefined
  })

  /** The same, whatever the version is now. */
  const persistAnew = Effect.fnUntraced(function* (record: Session.SessionRecord) {
    const stored = yield* load
    const merged = SessionMachine.reconcile(stored.record, record)
    return merged === undefined ? stored.record.session : yield* persist(stored.version, merged)
  })

  /**
   * Does a piece of work while the lease of a claimed record is renewed; gives the version to go on from. A renewal that
   * fails ends the renewing, not the work.
   */
  const whileRenewing = Effect.fnUntraced(function* <A>(
    claimed: { readonly version: number; readonly renewed: (now: number) => Session.SessionRecord },
    interval: Duration.Duration,
    work: Effect.Effect<A>
  ) {
    let version = claimed.version
    const renew = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(store.compareAndSwap(identity.name, version, claimed.renewed(now)), (next) => {
        version = next
      })
    )
    const renewal = yield* Effect.sleep(interval).pipe(
      Effect.andThen(Effect.uninterruptible(renew)),
      Effect.forever,
      Effect.interruptible,
      Effect.ignore,
      Effect.forkChild
    )
    const result = yield* work
    yield* Fiber.interrupt(renewal)
    return { result, version }
  })

  return { load, replace, persist, persistAnew, whileRenewing }
}
