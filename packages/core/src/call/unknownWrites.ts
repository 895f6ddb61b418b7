/**
 * Changes with an unknown outcome: they are reported, and a client remembers its writes among them. The client refuses
 * the same write until its outcome is resolved, so that a caller who retries blindly does not pay twice.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { fingerprint } from "../endpoint/Operation.ts"
import type { Encoded } from "../endpoint/Wires.ts"
import * as OperatorLog from "../errors/OperatorLog.ts"
import { Interrupted, onUncertain, type OutcomeUnknown } from "../errors/SdkError.ts"
import { type Begun, type CallError, mayHaveHappened, monotonicSeconds, outcomeUnknown } from "./callEnd.ts"

/** The maximum number of writes that a client remembers. A further write drops the oldest. */
const maxWrites = 10_000

/** The time for which a client remembers a write. */
const maxAgeSeconds = 24 * 60 * 60

/** The operation and the fingerprint that identify a write. */
export type Write = Pick<OutcomeUnknown, "operation" | "fingerprint">

const toKey = (write: Write): string => `${write.operation} ${write.fingerprint}`

export interface UnknownWrites extends ReturnType<typeof make> {}

/** Makes an empty memory. Times are in seconds of the monotonic clock. */
export const make = () => {
  /** Ordered by age, the oldest first. */
  const remembered = new Map<string, { readonly error: OutcomeUnknown; readonly at: number }>()

  /** Drops the writes that are too old or too many. */
  const evict = (now: number): void => {
    for (const [key, { at }] of remembered) {
      if (remembered.size <= maxWrites && now - at < maxAgeSeconds) return
      remembered.delete(key)
    }
  }

  return {
    remember: (error: OutcomeUnknown, now: number): void => {
      const key = toKey(error)
      remembered.delete(key)
      remembered.set(key, { error, at: now })
      evict(now)
    },

    /**
     * Finds the earlier error of the same write, if its outcome is still unknown. Does not hash the input if nothing is
     * remembered.
     */
    find: (operation: string, encoded: Encoded, now: number): OutcomeUnknown | undefined => {
      if (remembered.size === 0) return undefined
      evict(now)
      return remembered.get(toKey({ operation, fingerprint: fingerprint(encoded) }))?.error
    },

    forget: (write: Write): void => {
      remembered.delete(toKey(write))
    }
  }
}

export interface Parts {
  readonly unknownWrites: UnknownWrites
  /** Receives the unknown outcome of an interrupted call, unless a receiver is provided to the call. */
  readonly onUnknownOutcome: (error: OutcomeUnknown) => Effect.Effect<void>
}

/** Ends a call that may have taken effect, after an interruption, a failure or a defect. */
const endUnknown = Effect.fnUntraced(function* (
  call: Begun,
  cause: Cause.Cause<CallError>,
  { onUnknownOutcome, unknownWrites }: Parts
): Effect.fn.Return<never, CallError> {
  const now = monotonicSeconds(yield* Clock.Clock)
  const remember = (error: OutcomeUnknown) => {
    if (call.operation.safety === "write") unknownWrites.remember(error, now)
  }
  if (Cause.hasInterrupts(cause)) {
    const error = outcomeUnknown(call, "it was interrupted")
    remember(error)
    const receive = Context.getOrUndefined(yield* Effect.context<never>(), onUncertain) ?? onUnknownOutcome
    yield* Effect.suspend(() => receive(error)).pipe(
      Effect.catchCause((failure) => OperatorLog.defect("onUncertain failed", failure))
    )
    return yield* Effect.failCause(Cause.annotate(cause, Context.make(Interrupted, error)))
  }
  if (Cause.hasDies(cause)) {
    // The error does not repeat the defect, which may hold anything.
    const error = outcomeUnknown(call, "a defect cut it short")
    remember(error)
    return yield* error
  }
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error?._tag === "OutcomeUnknown") remember(error)
  return yield* Effect.failCause(cause)
})

/** Runs a call that changes something. Remembers and reports the call if its outcome is unknown. */
export const follow = <A>(call: Begun, run: Effect.Effect<A, CallError>, parts: Parts): Effect.Effect<A, CallError> =>
  Effect.uninterruptibleMask((restore) => {
    const end = (exit: Exit.Exit<A, CallError>): Effect.Effect<A, CallError> => {
      if (!mayHaveHappened(call)) return exit
      // Yield once, so that a pending interruption arrives here and is reported.
      return Effect.flatMap(Effect.yieldNow, () =>
        Effect.matchCauseEffect(restore(Effect.void), {
          onFailure: (cause) => endUnknown(call, cause, parts),
          onSuccess: () => (Exit.isFailure(exit) ? endUnknown(call, exit.cause, parts) : exit)
        })
      )
    }
    return Effect.matchCauseEffect(restore(run), {
      onFailure: (cause) => end(Exit.failCause(cause)),
      onSuccess: (value) => end(Exit.succeed(value))
    })
  })
