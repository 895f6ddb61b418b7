/** Loads and writes the stored record of one session. An older session never replaces a newer one. */
import * as Defect from "@effect-custody/core/Defect"
import { type SessionOfAnotherEnvironment, TokenStoreError } from "@effect-custody/core/SessionError"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Session from "./Session.ts"
import type { Stored, TokenStore } from "./TokenStore.ts"
import { type Identity, inEnvironment, merge } from "./record.ts"

export interface RecordStore extends ReturnType<typeof make> {}

/**
 * The record that the next write replaces. If `version` is `undefined`, another process has written in between: load
 * the record first.
 */
export interface Base extends Omit<Stored, "version"> {
  readonly version: number | undefined
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
            Defect.report("the token store failed with a defect", cause),
            Effect.fail(new TokenStoreError({ operation, reason: "an internal error of the store" }))
          )
  )

export const make = (
  store: TokenStore["Service"],
  identity: Identity,
  timing: { readonly storeTimeout: Duration.Duration }
) => {
  /** Limits only the wait. The operation itself continues, so a late write looks like the write of another process. */
  const bounded = <A, E>(
    operation: TokenStoreError["operation"],
    effect: Effect.Effect<A, E>,
    duration: Duration.Duration = timing.storeTimeout
  ) =>
    Effect.flatMap(Effect.forkDetach(withoutDefects(operation, effect)), (fiber) =>
      Effect.timeoutOrElse(Effect.interruptible(Fiber.join(fiber)), {
        duration,
        orElse: () =>
          Effect.fail(new TokenStoreError({ operation, reason: `no answer within ${Duration.format(duration)}` }))
      })
    )

  const load: Effect.Effect<Stored, TokenStoreError | SessionOfAnotherEnvironment> = Effect.gen(function* () {
    const loaded = yield* bounded(
      "load",
      Effect.suspend(() => store.load(identity.name))
    )
    if (Option.isNone(loaded)) return { version: 0, record: Session.empty(identity.environment) }
    const { record, version } = loaded.value
    return { version, record: yield* Effect.fromResult(inEnvironment(identity, record)) }
  })

  /**
   * Replaces the record if its version is still `version`. Returns the new version, or none after a conflict. Writes
   * nothing if `version` is `undefined`: another process has written since the record was loaded. `onAnswer` gets the
   * same answer, even if the answer comes after the time limit.
   */
  const replace = (
    version: number | undefined,
    next: Session.SessionRecord,
    options: {
      readonly onAnswer?: (written: Option.Option<number>) => Effect.Effect<void>
      readonly within?: Duration.Duration
    } = {}
  ): Effect.Effect<Option.Option<number>, TokenStoreError> =>
    version === undefined
      ? Effect.succeedNone
      : bounded(
          "compareAndSwap",
          Effect.suspend(() => store.compareAndSwap(identity.name, version, next)).pipe(
            Effect.asSome,
            Effect.catchTag("VersionConflict", () => Effect.succeedNone),
            Effect.tap((written) => options.onAnswer?.(written) ?? Effect.void)
          ),
          options.within
        )

  /** Writes a new session over an older one. Returns the record that is then stored. */
  const persist = Effect.fnUntraced(function* (
    record: Session.SessionRecord,
    version?: number
  ): Effect.fn.Return<Session.SessionRecord, TokenStoreError | SessionOfAnotherEnvironment> {
    if (Option.isSome(yield* replace(version, record))) return record
    for (let conflicts = 0; conflicts < maxConflicts; conflicts++) {
      // After repeated conflicts, pause: another process writes just as fast, or a replica returns an old record.
      if (conflicts > 1) yield* Effect.sleep(conflictPause)
      const stored: Stored = yield* load
      const next = merge(stored.record, record)
      if (next === undefined) return stored.record
      if (Option.isSome(yield* replace(stored.version, next))) return next
    }
    const reason = "the record changes faster than it can be written"
    return yield* new TokenStoreError({ operation: "compareAndSwap", reason })
  })

  return { load, replace, persist }
}
