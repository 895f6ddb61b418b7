/** Sends a call again, as often as its policy, its deadline and the budget allow. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { ClassPolicy, Failure } from "../RetryPolicy.ts"
import type { AttemptFailure } from "./attempt.ts"
import * as CallState from "./callState.ts"

export interface Options {
  readonly policy: ClassPolicy
  readonly state: CallState.CallState
  /** Whether the call may wait this long, and be sent once more. */
  readonly mayWait: (wait: Duration.Duration) => Effect.Effect<boolean>
}

/** The waits of a policy, with `Retry-After` as a minimum, as long as the call may be sent again. */
const waits = ({ mayWait, policy: { maxRetryAfter, schedule } }: Options): Schedule.Schedule<unknown, AttemptFailure> =>
  schedule.pipe(
    Schedule.setInputType<Failure>(),
    Schedule.setInputType<AttemptFailure>(),
    Schedule.while(
      ({ input: { mayResend, retryAfter } }) =>
        mayResend && (retryAfter === undefined || Duration.isLessThanOrEqualTo(retryAfter, maxRetryAfter))
    ),
    Schedule.modifyDelay(({ duration, input: { retryAfter } }) =>
      Effect.succeed(Duration.max(Duration.fromInputUnsafe(duration), retryAfter ?? Duration.zero))
    ),
    Schedule.while(({ duration }) => mayWait(duration))
  )

/** Repeats an attempt that has failed once. */
export const resend = <A>(
  attempt: Effect.Effect<A, AttemptFailure>,
  first: AttemptFailure,
  options: Options
): Effect.Effect<A, AttemptFailure["error"]> =>
  Effect.suspend(() => {
    let failure: AttemptFailure | undefined = first
    const next = Effect.suspend(() => {
      const before = failure
      failure = undefined
      return before === undefined ? attempt : Effect.fail(before)
    })
    return next.pipe(
      Effect.tapError(({ mayResend }) =>
        Effect.sync(() => {
          if (mayResend) CallState.does(options.state, "the call waited to be sent again")
        })
      ),
      Effect.retry(waits(options)),
      Effect.mapError(({ error }) => error)
    )
  })
