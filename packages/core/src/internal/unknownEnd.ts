/** The end of a call that may have taken effect: it is told to the caller, and a write is remembered. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import * as Defect from "../Defect.ts"
import { Interrupted, onUncertain, type OutcomeUnknown } from "../SdkError.ts"
import * as CallError from "./callError.ts"
import * as CallState from "./callState.ts"
import * as Exchange from "./exchange.ts"
import type { UnknownWrites } from "./unknownWrites.ts"

export interface Options {
  /** Receives the unknown outcome of a call that was interrupted. */
  readonly tell: (error: OutcomeUnknown) => Effect.Effect<void>
  readonly unknownWrites: UnknownWrites
}

type Call<A> = Exchange.Call<A>

const remember = (
  { operation }: Call<unknown>,
  error: OutcomeUnknown,
  { unknownWrites }: Options
): Effect.Effect<void> =>
  operation.safety === "write"
    ? Clock.clockWith((clock) => Effect.sync(() => unknownWrites.remember(error, Exchange.secondsOf(clock))))
    : Effect.void

/** The end of a call that may have taken effect and failed, was interrupted, or ended with a defect. */
const cutShort = Effect.fnUntraced(function* (
  call: Call<unknown>,
  cause: Cause.Cause<CallError.CallError>,
  options: Options
): Effect.fn.Return<never, CallError.CallError> {
  const { encoded, operation, state } = call
  const known = MutableRef.get(state)
  if (Cause.hasInterrupts(cause)) {
    const error = CallError.outcomeUnknown(operation, encoded, known, "it was interrupted")
    yield* remember(call, error, options)
    const tell = Context.getOrUndefined(yield* Effect.context<never>(), onUncertain) ?? options.tell
    yield* Effect.suspend(() => tell(error)).pipe(
      Effect.catchCause((failure) => Defect.report("onUncertain failed", failure))
    )
    return yield* Effect.failCause(Cause.annotate(cause, Context.make(Interrupted, error)))
  }
  const isDefect = Cause.hasDies(cause)
  const error = isDefect
    ? CallError.outcomeUnknown(operation, encoded, known, "a defect cut it short")
    : Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error?._tag === "OutcomeUnknown") yield* remember(call, error, options)
  // A defect may hold anything, so it is not repeated.
  return yield* isDefect && error !== undefined ? Effect.fail(error) : Effect.failCause(cause)
})

/** Reports a call that changes something when it may have taken effect and the caller does not know. */
export const reported = <A>(
  call: Call<A>,
  run: Effect.Effect<A, CallError.CallError>,
  options: Options
): Effect.Effect<A, CallError.CallError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(restore(run))
      if (!CallState.mayHaveHappened(MutableRef.get(call.state))) return yield* exit
      // Yield once, so that an interruption that is pending is seen here and reported.
      yield* Effect.yieldNow
      const interruption = yield* Effect.exit(restore(Effect.void))
      if (Exit.isFailure(interruption)) return yield* cutShort(call, interruption.cause, options)
      return Exit.isFailure(exit) ? yield* cutShort(call, exit.cause, options) : exit.value
    })
  )
