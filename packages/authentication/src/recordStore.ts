/**
 * The stored record of one session: loads it, and changes it by compare-and-swap. An older session never replaces a
 * newer one.
 */
import { type SessionOfAnotherEnvironment, TokenStoreError } from "@effect-custody/core/SessionError"
import * as OperatorLog from "@effect-custody/core/siblings/OperatorLog"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type Identity, inEnvironment, merge } from "./record.ts"
import * as Session from "./Session.ts"
import type { Stored, TokenStore } from "./TokenStore.ts"

export interface RecordStore extends ReturnType<typeof make> {}

export type StoreFailure = TokenStoreError | SessionOfAnotherEnvironment

/** The end of a change. */
export interface Modified<Decision> {
  /** The last decision. */
  readonly decision: Decision
  /** The record that is stored as far as this process knows: the one that it has written, or the one that it has read. */
  readonly stored: Stored
  /** The reason why the decision's record was not written, or may not have been. */
  readonly failure: StoreFailure | undefined
}

const maxConflicts = 32
const conflictPause = "50 millis"

/** Turns a defect or an interruption of the store into a failure, so that new tokens are written again, not lost. */
const withoutDefects = <A, E>(
  operation: TokenStoreError["operation"],
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E | TokenStoreError> =>
  Effect.catchCauseIf(
    effect,
    (cause) => !Cause.hasFails(cause),
    (cause) =>
      // A store that closes with its program interrupts what it does: no defect.
      Cause.hasInterruptsOnly(cause)
        ? Effect.fail(new TokenStoreError({ operation, reason: "the store was interrupted" }))
        : Effect.andThen(
            OperatorLog.defect("the token store failed with a defect", cause),
            Effect.fail(new TokenStoreError({ operation, reason: "an internal error of the store" }))
          )
  )

/** `duration` limits the wait for each operation. */
export const make = (store: TokenStore["Service"], identity: Identity, duration: Duration.Duration) => {
  /** Limits only the wait. The operation itself continues, so a late write looks like the write of another process. */
  const bounded = <A, E>(operation: TokenStoreError["operation"], effect: () => Effect.Effect<A, E>) =>
    Effect.flatMap(Effect.forkDetach(withoutDefects(operation, Effect.suspend(effect))), (fiber) =>
      Effect.timeoutOrElse(Effect.interruptible(Fiber.join(fiber)), {
        duration,
        orElse: () =>
          Effect.fail(new TokenStoreError({ operation, reason: `no answer within ${Duration.format(duration)}` }))
      })
    )

  const load: Effect.Effect<Stored, StoreFailure> = Effect.gen(function* () {
    const loaded = yield* bounded("load", () => store.load(identity.name))
    if (Option.isNone(loaded)) return { version: 0, record: Session.empty(identity.environment) }
    const { record, version } = loaded.value
    return { version, record: yield* Effect.fromResult(inEnvironment(identity, record)) }
  })

  /** Replaces the record if its version is still `version`. Returns the new version, or `undefined` after a conflict. */
  const replace = (version: number, next: Session.SessionRecord): Effect.Effect<number | undefined, TokenStoreError> =>
    bounded("compareAndSwap", () =>
      Effect.catchTag(store.compareAndSwap(identity.name, version, next), "VersionConflict", () => Effect.undefined)
    )

  /**
   * The one loop of compare-and-swap: decides on the record `from`, or on the loaded one, and writes the record of the
   * decision, if it has one. After a conflict, loads the record and decides again. Fails only if nothing could be
   * decided.
   */
  const modify = Effect.fnUntraced(function* <Decision extends { readonly record?: Session.SessionRecord | undefined }>(
    decide: (stored: Stored) => Decision,
    from?: Stored
  ): Effect.fn.Return<Modified<Decision>, StoreFailure> {
    let stored = from ?? (yield* load)
    for (let conflicts = 1; ; conflicts++) {
      const decision = decide(stored)
      const { record } = decision
      if (record === undefined) return { decision, stored, failure: undefined }
      const written = yield* Effect.result(replace(stored.version, record))
      if (Result.isFailure(written)) return { decision, stored, failure: written.failure }
      if (written.success !== undefined) {
        return { decision, stored: { version: written.success, record }, failure: undefined }
      }
      if (conflicts === maxConflicts) {
        const reason = "the record changes faster than it can be written"
        return { decision, stored, failure: new TokenStoreError({ operation: "compareAndSwap", reason }) }
      }
      // After repeated conflicts, pause: another process writes just as fast, or a replica returns an old record.
      if (conflicts > 2) yield* Effect.sleep(conflictPause)
      const loaded = yield* Effect.result(load)
      if (Result.isFailure(loaded)) return { decision, stored, failure: loaded.failure }
      stored = loaded.success
    }
  })

  /** Writes a new session over an older one. Returns the record that is then stored. */
  const persist = (ours: Session.SessionRecord, claimed?: Stored): Effect.Effect<Session.SessionRecord, StoreFailure> =>
    Effect.flatMap(
      modify((stored) => ({ record: stored === claimed ? ours : merge(stored.record, ours) }), claimed),
      ({ failure, stored }) => (failure === undefined ? Effect.succeed(stored.record) : Effect.fail(failure))
    )

  return { load, replace, modify, persist }
}
