/** The waits of a call: before the next attempt, and during a pause (the session has no token for now). */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type { ClassPolicy, Failure } from "../retry/RetryPolicy.ts"
import type { RefreshUnavailable, SessionAmbiguous, SessionError, TokenStoreError } from "../errors/SessionError.ts"
import type { AttemptFailure } from "./callError.ts"
import * as CallState from "./callState.ts"
import { type Call, monotonicSeconds } from "./callState.ts"

export interface Options {
  readonly policy: ClassPolicy
  readonly state: CallState.CallState
  /** `true` if the call may wait this long, and send once more. */
  readonly mayWait: (wait: Duration.Duration) => Effect.Effect<boolean>
}

/**
 * Makes the schedule of a call's waits from its policy. Each wait lasts at least as long as `Retry-After` says. The
 * schedule ends when the call may not be sent again.
 */
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

/** Repeats an attempt after its first failure. */
export const repeatAttempt = <A>(
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

type Pause = RefreshUnavailable | SessionAmbiguous | (TokenStoreError & Required<Pick<TokenStoreError, "retryAt">>)

/** The minimum wait during a pause, so that a change of the clock does not cause a busy loop. */
const minWaitMillis = 10

/** `true` if a wait can help. It helps neither a lasting refusal, nor the start of a session, nor a closing client. */
const isPause = (error: SessionError | AttemptFailure): error is Pause =>
  "_tag" in error &&
  (error._tag === "SessionAmbiguous" ||
    (error._tag === "TokenStoreError" && error.retryAt !== undefined) ||
    (error._tag === "RefreshUnavailable" &&
      error.isStart !== true &&
      (error.phase === "NotSent" || error.phase === "Throttled")))

/** The length of the wait; `undefined` if the call's policy or deadline does not allow it. */
const pauseLength = Effect.fnUntraced(function* ({ endsAt, operation, policy }: Call<unknown>, error: Pause) {
  const clock = yield* Clock.Clock
  const now = clock.currentTimeMillisUnsafe()
  const wait = Duration.millis(Math.max(error.retryAt.epochMilliseconds - now, minWaitMillis))
  const { maxRetryAfter, schedule } = policy[operation.safety]
  const isLate = monotonicSeconds(clock) + Duration.toSeconds(wait) >= endsAt
  if (isLate || Duration.isGreaterThan(wait, maxRetryAfter)) return undefined
  // Do not wait if the policy's schedule allows no second attempt. Each wait starts the schedule afresh, so only the
  // deadline limits the number of waits.
  const step = yield* Schedule.toStep(schedule)
  return yield* step(now, { error, retryAfter: wait }).pipe(
    Effect.as<Duration.Duration | undefined>(wait),
    Pull.catchDone(() => Effect.undefined)
  )
})

/** Asks the session for a token, and asks again after each pause. Sends nothing during a pause. */
export const waitThroughPause = <A>(
  call: Call<unknown>,
  ask: Effect.Effect<A, SessionError | AttemptFailure>
): Effect.Effect<A, SessionError | AttemptFailure> =>
  Effect.catchIf(ask, isPause, (error) =>
    Effect.flatMap(pauseLength(call, error), (wait) =>
      wait === undefined ? Effect.fail(error) : Effect.andThen(Effect.sleep(wait), waitThroughPause(call, ask))
    )
  )
