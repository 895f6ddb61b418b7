/** The pause after an attempt that brought no tokens, and the error that callers get until it is over. */
import { RefreshUnavailable, SessionAmbiguous, type SessionError } from "@effect-custody/core/SessionError"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Intent } from "../Session.ts"
import type * as SessionTiming from "../SessionTiming.ts"
import { now, uptime } from "./clock.ts"
import type { Purpose } from "./decision/model.ts"
import type { StateAccess } from "./sessionState.ts"
import type { TokenResponse } from "./tokenResponse.ts"

export const make = (options: {
  readonly identity: string
  readonly timing: SessionTiming.SessionTiming
  readonly state: StateAccess
}) => {
  const { identity, state, timing } = options

  const retryAfterOf = (response?: TokenResponse): Duration.Duration | undefined =>
    response !== undefined && "retryAfter" in response ? response.retryAfter : undefined

  /** The pause in whole milliseconds: as long as the service asks for, within bounds. */
  const millisAfter = (response?: TokenResponse): number => {
    const wanted = Duration.max(timing.cooldown, retryAfterOf(response) ?? Duration.zero)
    return Math.ceil(Duration.toMillis(Duration.min(wanted, timing.maxCooldown)))
  }

  /** Nothing is sent for so long; whoever needs a new token fails with this error. */
  const failUntil = Effect.fnUntraced(function* (millis: number, error: SessionError) {
    yield* state.update({ pause: { until: (yield* uptime) + millis, error } })
  })

  /** Fails now, and for so long, with the same error. */
  const pause = Effect.fnUntraced(function* (millis: number, errorAt: (retryAt: DateTime.Utc) => SessionError) {
    const error = errorAt(DateTime.makeUnsafe((yield* now) + millis))
    yield* failUntil(millis, error)
    return yield* error
  })

  const unavailable = (reason: string) => (retryAt: DateTime.Utc) =>
    new RefreshUnavailable({ identity, reason, retryAt })

  const ambiguous = (purpose: Purpose, since: number) => (retryAt: DateTime.Utc) =>
    new SessionAmbiguous({
      identity,
      generation: purpose._tag === "Refresh" ? purpose.session.generation : 0,
      since: DateTime.makeUnsafe(since),
      retryAt
    })

  /** Reports an attempt without tokens, and fails. `undefined`: one more attempt at once is allowed. */
  const afterAttempt = Effect.fnUntraced(function* (
    purpose: Purpose,
    response: TokenResponse,
    priorIntent: Intent | undefined,
    ambiguousSince: number | undefined
  ): Effect.fn.Return<undefined, SessionError> {
    const generation = purpose._tag === "Refresh" ? purpose.session.generation : 0
    const reason = "reason" in response ? response.reason : ""
    yield* state.update({ ambiguousSince })
    if (response._tag === "NotSpent" || ambiguousSince === undefined) {
      yield* state.publish({ _tag: "RefreshFailed", generation, reason })
      return yield* pause(millisAfter(response), unavailable(reason))
    }
    yield* state.publish({ _tag: "Ambiguous", generation, reason })
    const error = ambiguous(purpose, ambiguousSince)
    if (retryAfterOf(response) === undefined) {
      if (purpose._tag === "Refresh" && !purpose.accessTokenRejected) return yield* error(yield* DateTime.now)
      // The request may never have arrived. The access token is dead, so sending once more can lose nothing.
      if (priorIntent === undefined) return undefined
    }
    return yield* pause(millisAfter(response), error)
  })

  return { millisAfter, failUntil, pause, unavailable, ambiguous, afterAttempt }
}
