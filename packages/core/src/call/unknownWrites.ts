/**
 * The end of a call that may have taken effect: it is told to the caller. The same write is refused until its outcome is
 * resolved, so that a caller who retries blindly does not pay twice.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Defect from "../errors/Defect.ts"
import { fingerprint } from "../endpoint/Operation.ts"
import type { Encoded } from "../endpoint/Wires.ts"
import { Interrupted, onUncertain, type OutcomeUnknown } from "../errors/SdkError.ts"
import * as CallError from "./callError.ts"
import * as CallState from "./callState.ts"
import * as Exchange from "./exchange.ts"

/** When this many are remembered, the oldest leaves. */
const maxWrites = 10_000

/** How long a write is remembered. */
const maxAgeSeconds = 24 * 60 * 60

/** What identifies a write. */
export type Write = Pick<OutcomeUnknown, "operation" | "fingerprint">

const keyOf = (write: Write): string => `${write.operation} ${write.fingerprint}`

export interface UnknownWrites extends ReturnType<typeof make> {}

/** The writes of a client whose outcome is unknown: none yet. Times are in seconds of the monotonic clock. */
export const make = () => {
  /** The oldest first. */
  const remembered = new Map<string, { readonly error: OutcomeUnknown; readonly at: number }>()

  /** Drops what is too old or too many. */
  const evict = (now: number): void => {
    for (const [key, { at }] of remembered) {
      if (remembered.size <= maxWrites && now - at < maxAgeSeconds) return
      remembered.delete(key)
    }
  }

  return {
    remember: (error: OutcomeUnknown, now: number): void => {
      const key = keyOf(error)
      remembered.delete(key)
      remembered.set(key, { error, at: now })
      evict(now)
    },

    /** The error of the same write, if its outcome is unknown. Where nothing is remembered, the input is not hashed. */
    find: (operation: string, encoded: Encoded, now: number): OutcomeUnknown | undefined => {
      if (remembered.size === 0) return undefined
      evict(now)
      return remembered.get(keyOf({ operation, fingerprint: fingerprint(encoded) }))?.error
    },

    forget: (write: Write): void => {
      remembered.delete(keyOf(write))
    }
  }
}

export interface Options {
  /** Receives the unknown outcome of interrupted calls that have no receiver of their own. */
  readonly tell: (error: OutcomeUnknown) => Effect.Effect<void>
  /** The writes of a client that are refused, because their outcome is unknown. */
  readonly unknownWrites: UnknownWrites
}

/** The end of a call that may have taken effect and failed, was interrupted, or ended with a defect. */
const cutShort = Effect.fnUntraced(function* (
  call: Exchange.Call<unknown>,
  cause: Cause.Cause<CallError.CallError>,
  { tell, unknownWrites }: Options
): Effect.fn.Return<never, CallError.CallError> {
  const now = Exchange.secondsOf(yield* Clock.Clock)
  const remember = (error: OutcomeUnknown) => {
    if (call.operation.safety === "write") unknownWrites.remember(error, now)
  }
  if (Cause.hasInterrupts(cause)) {
    const error = CallError.outcomeUnknown(call, "it was interrupted")
    remember(error)
    const receive = Context.getOrUndefined(yield* Effect.context<never>(), onUncertain) ?? tell
    yield* Effect.suspend(() => receive(error)).pipe(
      Effect.catchCause((failure) => Defect.report("onUncertain failed", failure))
    )
    return yield* Effect.failCause(Cause.annotate(cause, Context.make(Interrupted, error)))
  }
  if (Cause.hasDies(cause)) {
    // A defect may hold anything, so it is not repeated.
    const error = CallError.outcomeUnknown(call, "a defect cut it short")
    remember(error)
    return yield* error
  }
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error?._tag === "OutcomeUnknown") remember(error)
  return yield* Effect.failCause(cause)
})

/** Reports a call that changes something when it may have taken effect and the caller does not know. */
export const reported = <A>(
  call: Exchange.Call<A>,
  run: Effect.Effect<A, CallError.CallError>,
  options: Options
): Effect.Effect<A, CallError.CallError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(restore(run))
      if (!CallState.mayHaveHappened(call.state)) return yield* exit
      // Yield once, so that an interruption that is pending is seen here and reported.
      yield* Effect.yieldNow
      const interruption = yield* Effect.exit(restore(Effect.void))
      if (Exit.isFailure(interruption)) return yield* cutShort(call, interruption.cause, options)
      return Exit.isFailure(exit) ? yield* cutShort(call, exit.cause, options) : exit.value
    })
  )
