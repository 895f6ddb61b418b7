/**
 * The one pause of a session: until when nothing is sent, and the error that calls get meanwhile.
 *
 * Each failure in a row pauses for the next wait of the schedule of `RetryPolicy.session`, and after its last wait for a
 * cool-down. The pause is at least a cool-down if the service may fail for long, and at least the service's
 * `Retry-After`.
 */
import type { ClassPolicy } from "@effect-custody/core/RetryPolicy"
import {
  RefreshUnavailable,
  SessionAmbiguous,
  type SessionError,
  TokenStoreError
} from "@effect-custody/core/SessionError"
import { explain } from "@effect-custody/core/siblings/OperatorLog"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import { isExplicit, type Purpose } from "./decide.ts"
import { now, type Parts, type Pause, report, uptime } from "./sessionState.ts"
import type { SupportData, TokenResponse } from "./tokenEndpoint.ts"

type NotSpent = Extract<TokenResponse, { readonly _tag: "NotSpent" }>

type Unspent = NotSpent | Extract<TokenResponse, { readonly _tag: "InDoubt" }>

/** Says why an API key was not exchanged. After a rejection, asks to check the address: a wrong server rejects too. */
const exchangeFailure = (address: string, { phase, reason }: NotSpent): string => {
  const what = `the API key could not be exchanged at ${address} (${explain(reason)})`
  return phase === "Rejected" ? `${what}: see whether the base address is right` : what
}

/** `true` if the failure may be over soon: the request or the store was not reached, or the service says when. */
const isBrief = (error: SessionError, retryAfter: Duration.Duration | undefined): boolean =>
  error._tag === "TokenStoreError" ||
  (error._tag === "RefreshUnavailable" && (error.phase === "NotSent" || retryAfter !== undefined))

/** Fails with the error of the pause until the pause ends. */
export const active = Effect.fnUntraced(function* (pause: Pause | undefined) {
  if (pause !== undefined && (yield* uptime) < pause.until) return yield* pause.error
})

export interface Pauses extends ReturnType<typeof make> {}

export const make = (
  { identity: { environment, name: identity }, state, timing }: Parts,
  schedule: ClassPolicy["schedule"]
) => {
  const cooldown = Duration.toMillis(timing.cooldown)

  /** The last pause, unless it ended so long ago that another outage begins. */
  const latest = Effect.gen(function* () {
    const { pause } = yield* state.get
    return pause !== undefined && (yield* uptime) <= pause.until + 2 * cooldown ? pause : undefined
  })

  /**
   * Begins or extends the pause, and fails. An explicit start (`TokenService.start`) fails with its own error, any other
   * purpose with the error of the pause that ends last.
   */
  const begin = Effect.fnUntraced(function* (
    purpose: Purpose | undefined,
    errorAt: (retryAt: DateTime.Utc) => SessionError,
    response?: TokenResponse
  ): Effect.fn.Return<never, SessionError> {
    const retryAfter = response !== undefined && "retryAfter" in response ? response.retryAfter : undefined
    const known = yield* latest
    const step = known?.step ?? (yield* Schedule.toStep(schedule))
    const at = yield* now
    const error = errorAt(DateTime.makeUnsafe(at))
    const wait = yield* step(at, { error, retryAfter }).pipe(
      Effect.map(([, delay]) => Duration.toMillis(delay)),
      Pull.catchDone(() => Effect.succeed(cooldown))
    )
    const least = Math.max(isBrief(error, retryAfter) ? 0 : cooldown, Duration.toMillis(retryAfter ?? 0))
    const millis = Math.ceil(Math.min(Math.max(wait, least), Duration.toMillis(timing.maxCooldown)))
    const own = { until: (yield* uptime) + millis, error: errorAt(DateTime.makeUnsafe(at + millis)), step }
    const pause = known !== undefined && known.until > own.until ? { ...known, step } : own
    yield* state.update({ pause })
    return yield* (isExplicit(purpose) ? own : pause).error
  })

  const unavailable =
    (phase: RefreshUnavailable["phase"], reason: string, rest?: Partial<SupportData & { readonly isStart: boolean }>) =>
    (retryAt: DateTime.Utc) =>
      new RefreshUnavailable({ identity, phase, reason, retryAt, ...rest })

  /**
   * Pauses after an attempt that spent no secret. A call may wait within its deadline for the next refresh, but never
   * for the next start.
   */
  const notSpent = Effect.fnUntraced(function* (purpose: Purpose, response: NotSpent) {
    const { phase, reason, support } = response
    if (purpose._tag === "Refresh") return yield* begin(purpose, unavailable(phase, reason, support), response)
    const failure = exchangeFailure(environment, response)
    if ((yield* latest) === undefined) yield* report("session.not_started", `${identity}: ${failure}`)
    return yield* begin(purpose, unavailable(phase, failure, { ...support, isStart: true }), response)
  })

  return {
    begin,
    unavailable,

    /**
     * Publishes the event of an attempt that got no tokens. Pauses and fails, or returns `undefined` if the next attempt
     * may begin at once: after a first unknown outcome, because the request may never have arrived.
     */
    afterAttempt: Effect.fnUntraced(function* (
      purpose: Purpose,
      response: Unspent,
      { ambiguousSince, isFirst }: { readonly ambiguousSince: number | undefined; readonly isFirst: boolean }
    ): Effect.fn.Return<undefined, SessionError> {
      const generation = purpose._tag === "Refresh" ? purpose.session.generation : 0
      const { reason, support } = response
      yield* state.update({ ambiguousSince })
      if (response._tag === "NotSpent") {
        yield* state.publish({ _tag: "RefreshFailed", generation, reason })
        return yield* notSpent(purpose, response)
      }
      yield* state.publish({ _tag: "Ambiguous", generation, reason })
      if (isFirst && response.retryAfter === undefined) return undefined
      const since = DateTime.makeUnsafe(ambiguousSince ?? (yield* now))
      const ambiguous = (retryAt: DateTime.Utc) =>
        new SessionAmbiguous({ identity, generation, since, retryAt, ...support })
      return yield* begin(purpose, ambiguous, response)
    }),

    /** Runs an effect that needs the store, and pauses if the store fails. Fails at once during such a pause. */
    withStore: <A>(effect: Effect.Effect<A, SessionError>): Effect.Effect<A, SessionError> =>
      Effect.gen(function* () {
        const { pause } = yield* state.get
        if (pause?.error._tag === "TokenStoreError") yield* active(pause)
        return yield* Effect.catchTag(effect, "TokenStoreError", (error) => {
          // An error with a retry time comes from an inner `withStore`, which has begun the pause.
          if (error.retryAt !== undefined) return Effect.fail(error)
          const { operation, reason } = error
          return begin(undefined, (retryAt) => new TokenStoreError({ operation, reason, retryAt }))
        })
      })
  }
}
