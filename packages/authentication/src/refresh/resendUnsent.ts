import type { ClassPolicy } from "@effect-custody/core/RetryPolicy"
import { NotSent } from "@effect-custody/core/SdkError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type { TokenResponse } from "../endpoint/tokenEndpoint.ts"
import { readUptime } from "../store/clock.ts"

/**
 * Repeats an exchange while nothing was sent and this process has the lease. The retry policy for session requests sets
 * the waits.
 * Closing the client ends the wait between attempts.
 */
export const resendUnsent = Effect.fnUntraced(function* (
  { deadline, schedule }: ClassPolicy,
  exchange: Effect.Effect<TokenResponse>,
  mayStart: () => boolean
): Effect.fn.Return<TokenResponse> {
  const clock = yield* Clock.Clock
  const endsAt = readUptime(clock) + Duration.toMillis(deadline)
  const step = yield* Schedule.toStep(schedule)
  while (true) {
    const response = yield* exchange
    if (response._tag !== "NotSpent" || response.phase !== "NotSent") return response
    const error = new NotSent({ operation: "authentication", reason: response.reason })
    const delay = yield* step(clock.currentTimeMillisUnsafe(), { error, retryAfter: undefined }).pipe(
      Effect.map(([, duration]): Duration.Duration | undefined => duration),
      Pull.catchDone(() => Effect.undefined)
    )
    if (delay === undefined || readUptime(clock) + Duration.toMillis(delay) >= endsAt) return response
    const waited = yield* Effect.exit(Effect.interruptible(Effect.sleep(delay)))
    if (Exit.isFailure(waited) || !mayStart()) return response
  }
})
