/**
 * Access tokens that cannot be sent. The pair is kept, because its refresh token is the only one there is, and is used at
 * once for another pair. If that one cannot be sent either, there is a pause before the next.
 */
import { RefreshUnavailable, type SessionError } from "@effect-custody/core/SessionError"
import { type AccessToken, isSendable } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as SessionTiming from "../SessionTiming.ts"
import { now, uptime } from "./clock.ts"
import type { StateAccess } from "./sessionState.ts"

/** Makes the function that replaces a token which cannot be sent. */
export const make = (options: {
  readonly identity: string
  readonly timing: SessionTiming.SessionTiming
  readonly state: StateAccess
  readonly rotate: (rejectedGeneration: number) => Effect.Effect<AccessToken, SessionError>
}) => {
  const { identity, rotate, state, timing } = options
  const pause = Duration.toMillis(timing.cooldown)

  const fail = Effect.fnUntraced(function* (wait: number) {
    return yield* new RefreshUnavailable({
      identity,
      phase: "Rejected",
      reason: "the service sends access tokens that no header can carry",
      retryAt: DateTime.makeUnsafe((yield* now) + wait)
    })
  })

  const replaced = Effect.fnUntraced(function* ({
    generation
  }: AccessToken): Effect.fn.Return<AccessToken, SessionError> {
    const { unsendable, usedSince } = yield* state.get
    const wait = pause - ((yield* uptime) - (usedSince ?? 0))
    if (unsendable > 1 && wait > 0) return yield* fail(wait)
    const next = yield* rotate(generation)
    return isSendable(next.value) ? next : yield* fail(pause)
  })

  return (token: Effect.Effect<AccessToken, SessionError>): Effect.Effect<AccessToken, SessionError> =>
    Effect.filterOrElse(token, ({ value }) => isSendable(value), replaced)
}
