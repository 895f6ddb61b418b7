/** Lets a call wait while its session is paused. Nothing is sent meanwhile. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type { RefreshUnavailable, SessionAmbiguous, SessionError } from "../SessionError.ts"
import type { AttemptFailure } from "./attempt.ts"
import { type Call, secondsOf } from "./exchange.ts"

type Pause = RefreshUnavailable | SessionAmbiguous

/** The shortest wait, in milliseconds, so that a clock that was changed does not cause a busy loop. */
const shortestWait = 10

/** Whether waiting can help: not after a refusal that may last, nor while the client is closing. */
const isPause = (error: SessionError | AttemptFailure): error is Pause =>
  "_tag" in error &&
  (error._tag === "SessionAmbiguous" ||
    (error._tag === "RefreshUnavailable" && (error.phase === "NotSent" || error.phase === "Throttled")))

/** How long to wait, or `undefined` where the call's policy or its deadline does not allow it. */
const waitOf = Effect.fnUntraced(function* ({ endsAt, operation, policy }: Call<unknown>, error: Pause) {
  // Calls wait only so long for a session that could not be started.
  const waitUntil = error._tag === "RefreshUnavailable" ? error.waitUntil : undefined
  if (waitUntil !== undefined && DateTime.isGreaterThan(error.retryAt, waitUntil)) return undefined
  const clock = yield* Clock.Clock
  const now = clock.currentTimeMillisUnsafe()
  const wait = Duration.millis(Math.max(error.retryAt.epochMilliseconds - now, shortestWait))
  const { maxRetryAfter, schedule } = policy[operation.safety]
  const isLate = secondsOf(clock) + Duration.toSeconds(wait) >= endsAt
  if (isLate || Duration.isGreaterThan(wait, maxRetryAfter)) return undefined
  // A policy that would not send the call again does not wait either. How often it waits is bounded by the deadline.
  const step = yield* Schedule.toStep(schedule)
  return yield* step(now, { error, retryAfter: wait }).pipe(
    Effect.as<Duration.Duration | undefined>(wait),
    Pull.catchDone(() => Effect.undefined)
  )
})

/** Asks the session for a token, again after each pause. */
export const outwaiting = <A>(
  call: Call<unknown>,
  ask: Effect.Effect<A, SessionError | AttemptFailure>
): Effect.Effect<A, SessionError | AttemptFailure> =>
  Effect.catchIf(ask, isPause, (error) =>
    Effect.flatMap(waitOf(call, error), (wait) =>
      wait === undefined ? Effect.fail(error) : Effect.andThen(Effect.sleep(wait), outwaiting(call, ask))
    )
  )
