/** The pause after an attempt that got no tokens, and the error that callers get during the pause. */
import type { SupportData } from "@effect-custody/core/unstable/Classification"
import * as OperatorLog from "@effect-custody/core/unstable/OperatorLog"
import { RefreshUnavailable, SessionAmbiguous, type SessionError } from "@effect-custody/core/SessionError"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { TokenResponse, Tokens } from "../endpoint/tokenEndpoint.ts"
import type { Parts, Pause } from "../session/sessionState.ts"
import { now, uptime } from "../store/clock.ts"
import type { Intent } from "../store/Session.ts"
import { isExplicit, type Purpose } from "./decisionModel.ts"

type NotSpent = Extract<TokenResponse, { readonly _tag: "NotSpent" }>

/** Says why an API key was not exchanged. After a rejection, asks to check the address: a wrong server rejects too. */
const exchangeFailure = (address: string, { phase, reason }: NotSpent): string => {
  const what = `the API key could not be exchanged at ${address} (${reason})`
  return phase === "Rejected" ? `${what}: see whether the base address is right` : what
}

const longerPause = (known: Pause | undefined, added: Pause): Pause =>
  known === undefined || known.until <= added.until ? added : known

/** The minimum pause in milliseconds if the request never arrived, or if the service sent `Retry-After`. */
const minPause = 100

export const make = ({ identity: { environment, name: identity }, state, timing }: Parts) => {
  const cooldown = Duration.toMillis(timing.cooldown)
  const maxCooldown = Duration.toMillis(timing.maxCooldown)

  const getRetryAfter = (response?: TokenResponse): Duration.Duration | undefined =>
    response !== undefined && "retryAfter" in response ? response.retryAfter : undefined

  /** A pause in whole milliseconds: at least the service's `Retry-After`, at most `maxCooldown`. */
  const limitPause = (wanted: number, response?: TokenResponse): number =>
    Math.ceil(Math.min(Math.max(wanted, Duration.toMillis(getRetryAfter(response) ?? 0)), maxCooldown))

  /**
   * The pause after an attempt, in milliseconds. 0 after the first unknown outcome: the request may never have arrived.
   */
  const pauseMillis = (response?: TokenResponse, priorIntent?: Intent): number =>
    limitPause(response?._tag === "InDoubt" && priorIntent === undefined ? 0 : cooldown, response)

  /**
   * Starts or extends the pause, and returns its error. Nothing is sent during the pause: callers wait, or get the
   * error.
   */
  const failUntil = Effect.fnUntraced(function* (millis: number, error: SessionError) {
    const added = { until: (yield* uptime) + millis, error }
    yield* state.update(({ pause }) => ({ pause: longerPause(pause, added) }))
    return longerPause((yield* state.get).pause, added).error
  })

  /**
   * Starts or extends the pause, and fails. An explicit start (`TokenService.start`) fails with its own error. Any
   * other purpose fails with the error of the pause that ends last.
   */
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
    (phase: RefreshUnavailable["phase"], reason: string, rest?: Partial<SupportData & { readonly isStart: boolean }>) =>
    (retryAt: DateTime.Utc) =>
      new RefreshUnavailable({ identity, phase, reason, retryAt, ...rest })

  /**
   * Records an attempt that was certainly not processed, and computes the pause: as long as the outage has lasted, up
   * to two cool-downs. The minimum is `minPause` if the request never arrived or the service sent `Retry-After`,
   * otherwise one cool-down.
   */
  const afterNotSpent = Effect.fnUntraced(function* (response: NotSpent) {
    const at = yield* uptime
    const { outage: known } = yield* state.get
    const outage = known === undefined || at > known.until + 2 * cooldown ? { since: at } : known
    const lasted = at - outage.since
    const start = response.phase === "NotSent" || response.retryAfter !== undefined ? minPause : cooldown
    const millis = limitPause(Math.min(Math.max(lasted, start), 2 * cooldown), response)
    yield* state.update({ outage: { ...outage, until: at + millis } })
    return { isFirst: lasted === 0, millis }
  })

  /**
   * Pauses after an attempt that spent no secret. A call may wait within its deadline for the next refresh, but never
   * for the next start.
   */
  const notSpent = Effect.fnUntraced(function* (purpose: Purpose, response: NotSpent) {
    const { phase, support } = response
    const { isFirst, millis } = yield* afterNotSpent(response)
    if (purpose._tag === "Refresh") return yield* pause(purpose, millis, unavailable(phase, response.reason, support))
    const reason = exchangeFailure(environment, response)
    if (isFirst) yield* OperatorLog.report("session.not_started", `${identity}: ${reason}`)
    return yield* pause(purpose, millis, unavailable(phase, reason, { ...support, isStart: true }))
  })

  /**
   * Publishes the event of an attempt that got no tokens. Returns `undefined` if the next attempt may begin at once.
   * Otherwise pauses and fails.
   */
  const afterAttempt = Effect.fnUntraced(function* (
    purpose: Purpose,
    response: Exclude<TokenResponse, Tokens>,
    millis: number,
    ambiguousSince: number | undefined
  ): Effect.fn.Return<undefined, SessionError> {
    const generation = purpose._tag === "Refresh" ? purpose.session.generation : 0
    const { reason, support } = response
    yield* state.update({ ambiguousSince })
    if (response._tag === "NotSpent") {
      yield* state.publish({ _tag: "RefreshFailed", generation, reason })
      return yield* notSpent(purpose, response)
    }
    yield* state.publish({ _tag: "Ambiguous", generation, reason })
    if (millis === 0) return undefined
    const since = DateTime.makeUnsafe(ambiguousSince ?? (yield* now))
    return yield* pause(
      purpose,
      millis,
      (retryAt) => new SessionAmbiguous({ identity, generation, since, retryAt, ...support })
    )
  })

  return { pauseMillis, failUntil, pause, unavailable, afterAttempt }
}
