/** Sends a call again, as often as its policy, its deadline and the budget allow. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as MutableRef from "effect/MutableRef"
import * as Schedule from "effect/Schedule"
import type { ClassPolicy, Failure } from "../RetryPolicy.ts"
import type { AttemptFailure } from "./attempt.ts"
import * as CallState from "./callState.ts"

/**
 * The waits of a policy: its schedule, with `Retry-After` as a minimum. It ends where the call must not be sent again,
 * and where the service asks for a longer wait than the policy allows.
 */
export const schedule = ({ maxRetryAfter, schedule }: ClassPolicy): Schedule.Schedule<unknown, AttemptFailure> =>
  schedule.pipe(
    Schedule.setInputType<Failure>(),
    Schedule.setInputType<AttemptFailure>(),
    Schedule.while(
      ({ input: { mayResend, retryAfter } }) =>
        mayResend && (retryAfter === undefined || Duration.isLessThanOrEqualTo(retryAfter, maxRetryAfter))
    ),
    Schedule.modifyDelay(({ duration, input: { retryAfter } }) =>
      Effect.succeed(Duration.max(Duration.fromInputUnsafe(duration), retryAfter ?? Duration.zero))
    )
  )

export interface Options {
  readonly policy: ClassPolicy
  readonly state: MutableRef.MutableRef<CallState.CallState>
  /** Whether the call may wait this long, and be sent once more. */
  readonly mayWait: (wait: Duration.Duration) => Effect.Effect<boolean>
}

/** Repeats an attempt that has failed once. */
export const resend = Effect.fnUntraced(function* <A>(
  attempt: Effect.Effect<A, AttemptFailure>,
  first: AttemptFailure,
  { mayWait, policy, state }: Options
): Effect.fn.Return<A, AttemptFailure["error"]> {
  const wait = yield* Schedule.toStepWithSleep(
    schedule(policy).pipe(Schedule.while(({ duration }) => mayWait(duration)))
  )
  const waited = (failure: AttemptFailure) =>
    Pull.catchDone(Effect.as(wait(failure), true), () => Effect.succeed(false))
  let failure = first
  while (failure.mayResend) {
    MutableRef.update(state, CallState.backingOff)
    if (!(yield* waited(failure))) break
    const result = yield* Effect.result(attempt)
    if (result._tag === "Success") return result.success
    failure = result.failure
  }
  return yield* failure.error
})
