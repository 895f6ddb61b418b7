/** The pause after an attempt that brought no tokens, and the error that callers get until it is over. */
import type { SupportData } from "@effect-custody/core/Classification"
import * as OperatorLog from "@effect-custody/core/OperatorLog"
import type { RetrySchedule } from "@effect-custody/core/RetryPolicy"
import { RefreshUnavailable, SessionAmbiguous, type SessionError } from "@effect-custody/core/SessionError"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type { Intent } from "../Session.ts"
import type * as SessionTiming from "../SessionTiming.ts"
import { now, uptime } from "./clock.ts"
import { type Identity, isExplicit, type Purpose } from "./decision/model.ts"
import type { Pause, StateAccess } from "./sessionState.ts"
import type { TokenResponse } from "./tokenResponse.ts"

type NotSpent = Extract<TokenResponse, { readonly _tag: "NotSpent" }>

/** Attempts in a row that were certainly not processed. */
export interface Outage {
  /** When the first of them was sent, by the uptime. */
  readonly sentAt: number
  /** When the first of them failed, by the uptime. */
  readonly since: number
  /** When the pause after the last of them ends. */
  readonly until: number
  /** The next wait of the schedule in milliseconds, or `undefined` at its end. */
  readonly nextWait: (
    error: RefreshUnavailable,
    retryAfter: Duration.Duration | undefined
  ) => Effect.Effect<number | undefined>
}

/** Why an API key was not exchanged. A wrong address looks like a rejection. */
const notExchanged = (address: string, { phase, reason }: NotSpent): string => {
  const what = `the API key could not be exchanged at ${address} (${reason})`
  return phase === "Rejected" ? `${what}: see whether the base address is right` : what
}

/** The longest pause that the service did not ask for, in milliseconds. */
export const longestUnasked = ({ cooldown }: SessionTiming.SessionTiming): number => 12 * Duration.toMillis(cooldown)

/** Of two pauses, the one that ends later. */
export const standing = (known: Pause | undefined, added: Pause): Pause =>
  known === undefined || known.until <= added.until ? added : known

/** The shortest pause, whatever the schedule says. */
const shortestPause = 100

export const make = (options: {
  readonly identity: Identity
  readonly timing: SessionTiming.SessionTiming
  /** When to send again what was certainly not processed. */
  readonly resend: RetrySchedule
  readonly state: StateAccess
}) => {
  const { resend, state, timing } = options
  const { environment, name: identity } = options.identity
  const cooldown = Duration.toMillis(timing.cooldown)
  const maxCooldown = Duration.toMillis(timing.maxCooldown)
  const startTimeout = Duration.toMillis(timing.startTimeout)

  const retryAfterOf = (response?: TokenResponse): Duration.Duration | undefined =>
    response !== undefined && "retryAfter" in response ? response.retryAfter : undefined

  /** A pause in whole milliseconds: at least as long as the service asks for, within bounds. */
  const pauseOf = (wanted: number, response?: TokenResponse): number =>
    Math.ceil(Math.min(Math.max(wanted, Duration.toMillis(retryAfterOf(response) ?? 0)), maxCooldown))

  const millisAfter = (response?: TokenResponse): number => pauseOf(cooldown, response)

  /** Starts or extends the pause: nothing is sent, and callers that need a new token wait, or fail with its error. */
  const failUntil = Effect.fnUntraced(function* (millis: number, error: SessionError) {
    const added = { until: (yield* uptime) + millis, error }
    yield* state.update(({ pause }) => ({ pause: standing(pause, added) }))
    return standing((yield* state.get).pause, added).error
  })

  /** Starts or extends the pause, and fails with its error. An explicit start fails with its own error. */
  const pause = Effect.fnUntraced(function* (
    purpose: Purpose,
    millis: number,
    errorAt: (retryAt: DateTime.Utc) => SessionError
  ) {
    const own = errorAt(DateTime.makeUnsafe((yield* now) + millis))
    const error = yield* failUntil(millis, own)
    return yield* isExplicit(purpose) ? own : error
  })

  const unavailable =
    (phase: RefreshUnavailable["phase"], reason: string, rest?: SupportData | { readonly waitUntil: DateTime.Utc }) =>
    (retryAt: DateTime.Utc) =>
      new RefreshUnavailable({ identity, phase, reason, retryAt, ...rest })

  const ambiguous = (purpose: Purpose, since: number, support?: SupportData) => (retryAt: DateTime.Utc) =>
    new SessionAmbiguous({
      identity,
      generation: purpose._tag === "Refresh" ? purpose.session.generation : 0,
      since: DateTime.makeUnsafe(since),
      retryAt,
      ...support
    })

  const beginOutage = Effect.fnUntraced(function* (since: number): Effect.fn.Return<Outage> {
    const { sentAt = since } = yield* state.get
    const step = yield* Schedule.toStep(resend)
    const nextWait: Outage["nextWait"] = (error, retryAfter) =>
      Effect.flatMap(now, (at) =>
        step(at, { error, retryAfter }).pipe(
          Effect.map(([, wait]): number | undefined => Duration.toMillis(wait)),
          Pull.catchDone(() => Effect.undefined)
        )
      )
    return { sentAt, since, until: since, nextWait }
  })

  /**
   * The pause after an attempt that was certainly not processed. If it never arrived, or has a `Retry-After`, it is sent
   * again by the schedule while the outage is shorter than the cool-down. After that the pause is as long as the outage
   * has lasted, from one cool-down to two, so that the early repetitions do not add requests to a long outage.
   */
  const afterNotSpent = Effect.fnUntraced(function* (response: NotSpent, error: RefreshUnavailable) {
    const at = yield* uptime
    const known = (yield* state.get).outage
    const outage = known === undefined || at > known.until + 2 * cooldown ? yield* beginOutage(at) : known
    const lasted = at - outage.since
    const isBrief = lasted < cooldown && (response.phase === "NotSent" || response.retryAfter !== undefined)
    const wait = isBrief ? yield* outage.nextWait(error, response.retryAfter) : undefined
    const cool = Math.min(Math.max(cooldown, lasted), 2 * cooldown)
    const millis = pauseOf(wait === undefined ? cool : Math.min(Math.max(wait, shortestPause), cool), response)
    yield* state.update({ outage: { ...outage, until: at + millis } })
    return { isFirst: lasted === 0, sinceSent: at - outage.sentAt, millis }
  })

  /** Nothing was used up. Calls wait for a refresh within their own deadlines, and for a start for a limited time. */
  const notSpent = Effect.fnUntraced(function* (purpose: Purpose, response: NotSpent) {
    const { phase, support } = response
    const reason = purpose._tag === "Start" ? notExchanged(environment, response) : response.reason
    const errorAt = unavailable(phase, reason, support)
    const { isFirst, millis, sinceSent } = yield* afterNotSpent(response, errorAt(yield* DateTime.now))
    if (purpose._tag === "Refresh") return yield* pause(purpose, millis, errorAt)
    if (isFirst) yield* OperatorLog.report("session.not_started", `${identity}: ${reason}`)
    const waitUntil = DateTime.makeUnsafe((yield* now) + startTimeout - sinceSent)
    return yield* pause(purpose, millis, unavailable(phase, reason, { ...support, waitUntil }))
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
    if (response._tag === "NotSpent") {
      yield* state.publish({ _tag: "RefreshFailed", generation, reason })
      return yield* notSpent(purpose, response)
    }
    yield* state.publish({ _tag: "Ambiguous", generation, reason })
    const error = ambiguous(
      purpose,
      ambiguousSince ?? (yield* now),
      response._tag === "Tokens" ? undefined : response.support
    )
    if (retryAfterOf(response) === undefined) {
      if (purpose._tag === "Refresh" && !purpose.accessTokenRejected) return yield* error(yield* DateTime.now)
      // The request may never have arrived. The access token is dead, so sending once more can lose nothing.
      if (priorIntent === undefined) return undefined
    }
    return yield* pause(purpose, millisAfter(response), error)
  })

  return { millisAfter, failUntil, pause, unavailable, ambiguous, afterAttempt }
}
