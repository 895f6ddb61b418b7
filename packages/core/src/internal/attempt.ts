/** One attempt of a call: token, exchange, result. What follows a failure is in the second half. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Result from "effect/Result"
import type { Failed } from "../Classification.ts"
import type { Encoded } from "../Operation.ts"
import type { SessionError } from "../SessionError.ts"
import type { TransportError } from "../SdkError.ts"
import type { AccessToken, TokenService } from "../TokenService.ts"
import * as CallError from "./callError.ts"
import * as CallState from "./callState.ts"
import { type Call, type Exchange, timeLeft } from "./exchange.ts"
import type { Diagnostics } from "./knownSecrets.ts"
import type { Found } from "./lookUp.ts"
import * as Replay from "./replay.ts"
import { outwaiting } from "./sessionPause.ts"
import type { TokenWaits } from "./tokenWaits.ts"

/** One call rotates the session this often at most, over all its attempts. */
const maxRotations = 2

/**
 * One call loads the session from its store this often at most: what another process has stored may itself be old by
 * then, and a new token may not be accepted everywhere yet.
 */
const maxReloads = 3

/** An attempt that did not succeed. */
export interface AttemptFailure {
  readonly error: CallError.CallError
  /** Whether the policy may send the call again. */
  readonly mayResend: boolean
  /** How long the service asks to wait before that. */
  readonly retryAfter: Duration.Duration | undefined
}

type Unfinished = AttemptFailure | SessionError | TransportError

/** The end of a call whose deadline has passed, with the error that says what was sent. */
const late = ({ deadline, encoded, operation, state }: Call<unknown>): Effect.Effect<never, AttemptFailure> =>
  Effect.suspend(() => {
    const error = CallError.deadlinePassed(operation, encoded, MutableRef.get(state), Duration.format(deadline))
    return Effect.fail({ error, mayResend: false, retryAfter: undefined })
  })

/** Ends a look-up when the call's deadline has passed. */
const withinDeadline = <A>(call: Call<unknown>, lookUp: Effect.Effect<A>): Effect.Effect<A, AttemptFailure> =>
  Effect.withFiber((fiber) =>
    Effect.timeoutOrElse(lookUp, { duration: timeLeft(fiber, call), orElse: () => late(call) })
  )

export interface Options {
  readonly tokens: TokenService["Service"]
  readonly waits: TokenWaits
  readonly exchange: Exchange
  /** What an error may hold of an answer. */
  readonly diagnostics: (encoded: Encoded, token: AccessToken | undefined) => Effect.Effect<Diagnostics>
  readonly lookUp: <A>(call: Call<A>, isExact: boolean) => Effect.Effect<Found<A>>
}

/** Makes one attempt of a call, replays included. */
export const make = ({ diagnostics, exchange, lookUp, tokens, waits }: Options) => {
  /** Waits for a token until the call's deadline, and through the pauses of the session. */
  const tokenOf = (
    call: Call<unknown>,
    key: unknown,
    ask: Effect.Effect<AccessToken, SessionError>
  ): Effect.Effect<AccessToken, AttemptFailure | SessionError> =>
    outwaiting(
      call,
      waits.join(call, key, ask, () => late(call))
    )

  const current = (call: Call<unknown>): Effect.Effect<AccessToken, AttemptFailure | SessionError> => {
    MutableRef.update(call.state, CallState.awaitingToken)
    return tokenOf(call, "current", tokens.current)
  }

  /** Sends, and replays at once for as long as the request is refused for its token and there is a newer one. */
  const send = <A>(call: Call<A>, token: AccessToken | undefined): Effect.Effect<A, Unfinished> =>
    Effect.flatMap(exchange(call, token), (outcome) => {
      if (outcome === undefined) return late(call)
      if (outcome._tag === "Succeeded") return Effect.succeed(outcome.value)
      const rotation = token === undefined ? undefined : rotated(call, token, outcome)
      if (rotation !== undefined) return sendAfter(call, rotation)
      const reload = token === undefined ? undefined : reloaded(call, token, outcome)
      if (reload === undefined) return settle(call, token, outcome)
      return Effect.flatMap(reload, (next) => (next === undefined ? settle(call, token, outcome) : send(call, next)))
    })

  /** The same, once there is a token. A separate function, so that a waiting call does not keep its answer in memory. */
  const sendAfter = <A>(
    call: Call<A>,
    token: Effect.Effect<AccessToken, AttemptFailure | SessionError>
  ): Effect.Effect<A, Unfinished> => Effect.flatMap(token, (next) => send(call, next))

  /** The newer token of a rotation, if the answer asks for one and the call may still rotate. */
  const rotated = (
    call: Call<unknown>,
    { generation, value }: AccessToken,
    failed: Failed
  ): Effect.Effect<AccessToken, AttemptFailure | SessionError> | undefined => {
    const { operation, state } = call
    const mayRotate = MutableRef.get(state).rotations < maxRotations
    if (!mayRotate || Replay.next(operation.safety, failed._tag) !== "Rotate") return undefined
    MutableRef.update(state, CallState.rotating)
    return tokenOf(call, value, tokens.rotate(generation, value))
  }

  /** The token in the store, if the answer asks for it: `undefined` if it is the one that was refused. */
  const reloaded = (
    call: Call<unknown>,
    { generation, value }: AccessToken,
    failed: Failed
  ): Effect.Effect<AccessToken | undefined, AttemptFailure | SessionError> | undefined => {
    const { operation, state } = call
    const mayReload = MutableRef.get(state).reloads < maxReloads
    if (!mayReload || Replay.next(operation.safety, failed._tag) !== "Reload") return undefined
    MutableRef.update(state, CallState.reloading)
    // Not shared between calls: the record has to be read after the call's own 401.
    return Effect.map(tokenOf(call, undefined, tokens.reload(generation, value)), (newest) =>
      newest.generation !== generation || newest.isRecent === true ? newest : undefined
    )
  }

  /** The error of a failed exchange. After a 401 it says whether there is an API key to start another session with. */
  const errorOf = Effect.fnUntraced(function* (call: Call<unknown>, failed: Failed, token: AccessToken | undefined) {
    const error = CallError.ofAttempt(call, failed, yield* diagnostics(call.encoded, token))
    if (error._tag !== "InvalidAccessToken" || !(yield* tokens.status).hasUnusedKey) return error
    return CallError.withUnusedKey(error)
  })

  /** What follows the last exchange of an attempt, if it did not succeed: a look-up, or the failure of the attempt. */
  const settle = Effect.fnUntraced(function* <A>(
    call: Call<A>,
    token: AccessToken | undefined,
    outcome: Failed
  ): Effect.fn.Return<A, AttemptFailure> {
    const { encoded, operation, state } = call
    const { reason, retryAfter } = outcome
    const next = Replay.next(operation.safety, outcome._tag)
    const isInDoubt = operation.safety !== "read" && MutableRef.get(state).doubt !== undefined
    if (!isInDoubt) {
      const error = yield* errorOf(call, outcome, token)
      return yield* Effect.fail({ error, mayResend: next === "Resend", retryAfter })
    }
    const shown = CallError.evidence(call, outcome, yield* diagnostics(encoded, token))
    MutableRef.update(state, CallState.showing(shown))
    let mayResend = next === "Resend"
    let lookUpReason: string | undefined
    // A second creation may be refused because the first one has succeeded, or because somebody else has the name in
    // another spelling.
    if (next === "LookUp" || next === "Fail") {
      const found = yield* withinDeadline(call, lookUp(call, next === "Fail"))
      if (Result.isSuccess(found)) return found.success
      mayResend = next === "LookUp" && found.failure._tag === "Absent"
      if (found.failure._tag === "Unknown") lookUpReason = found.failure.reason
    }
    const error = CallError.outcomeUnknown(operation, encoded, MutableRef.get(state), reason, lookUpReason)
    return yield* Effect.fail({ error, mayResend, retryAfter })
  })

  /** A failure of the session ends the call. What an earlier attempt left in doubt stays in doubt. */
  const onSessionFailure = Effect.fnUntraced(function* (
    { encoded, operation, state }: Call<unknown>,
    failure: SessionError | TransportError
  ): Effect.fn.Return<never, AttemptFailure> {
    const known = MutableRef.get(state)
    const isInDoubt = operation.safety !== "read" && known.doubt !== undefined
    const error = isInDoubt ? CallError.outcomeUnknown(operation, encoded, known, failure.message) : failure
    return yield* Effect.fail({ error, mayResend: false, retryAfter: undefined })
  })

  /** One attempt, replays included. */
  return <A>(call: Call<A>): Effect.Effect<A, AttemptFailure> =>
    Effect.suspend((): Effect.Effect<A, Unfinished> => {
      if (call.operation.safety === "session") return send(call, undefined)
      const token = tokens.inUse?.()
      return token === undefined ? sendAfter(call, current(call)) : send(call, token)
    }).pipe(
      Effect.catchIf(
        (failure): failure is SessionError | TransportError => !("mayResend" in failure),
        (failure) => onSessionFailure(call, failure)
      )
    )
}
