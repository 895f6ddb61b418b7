/** One attempt of a call: token, exchange, result. What follows a failure is in the second half. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Result from "effect/Result"
import type { Classification, Failed } from "../Classification.ts"
import type { Encoded } from "../Operation.ts"
import type { SessionError } from "../SessionError.ts"
import type { TransportError } from "../SdkError.ts"
import type { AccessToken, TokenService } from "../TokenService.ts"
import * as CallError from "./callError.ts"
import * as CallState from "./callState.ts"
import type { Call } from "./exchange.ts"
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

/** The result of an exchange and its replays, and the token that was used last. */
interface Replayed<A> {
  readonly token: AccessToken | undefined
  readonly outcome: Classification<A>
}

type Unfinished = AttemptFailure | SessionError | TransportError

/** The end of a call whose deadline has passed, with the error that says what was sent. */
export const deadlinePassed = ({ deadline, encoded, operation, state }: Call<unknown>) =>
  CallError.deadlinePassed(operation, encoded, MutableRef.get(state), Duration.format(deadline))

export interface Options {
  readonly tokens: TokenService["Service"]
  readonly waits: TokenWaits
  readonly exchange: <A>(
    call: Call<A>,
    token: AccessToken | undefined
  ) => Effect.Effect<Classification<A>, TransportError>
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
      waits.join(call, key, ask, () =>
        Effect.fail({ error: deadlinePassed(call), mayResend: false, retryAfter: undefined })
      )
    )

  const current = (call: Call<unknown>): Effect.Effect<AccessToken, AttemptFailure | SessionError> =>
    Effect.suspend(() => {
      MutableRef.update(call.state, CallState.awaitingToken)
      return tokenOf(call, "current", tokens.current)
    })

  const attempt = <A>(call: Call<A>): Effect.Effect<A, Unfinished> =>
    call.operation.safety === "session"
      ? sendWith(call, undefined)
      : Effect.flatMap(current(call), (token) => sendWith(call, token))

  const sendWith = <A>(call: Call<A>, token: AccessToken | undefined): Effect.Effect<A, Unfinished> =>
    Effect.flatMap(exchange(call, token), (outcome) =>
      outcome._tag === "Succeeded"
        ? Effect.succeed(outcome.value)
        : Effect.flatMap(replay(call, token, outcome), (replayed) => settle(call, replayed))
    )

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

  /** The token in the store, if the answer asks for it, and `undefined` if it is the one that was refused. */
  const reloaded = (
    call: Call<unknown>,
    { generation, value }: AccessToken,
    failed: Failed
  ): Effect.Effect<AccessToken | undefined, AttemptFailure | SessionError> => {
    const { operation, state } = call
    const mayReload = MutableRef.get(state).reloads < maxReloads
    if (!mayReload || Replay.next(operation.safety, failed._tag) !== "Reload") return Effect.undefined
    MutableRef.update(state, CallState.reloading)
    // Not shared between calls: the record has to be read after the call's own 401.
    return Effect.map(tokenOf(call, undefined, tokens.reload(generation, value)), (newest) =>
      newest.generation !== generation || newest.isRecent === true ? newest : undefined
    )
  }

  /** Replays a request at once, for as long as it is refused for its token and there is a newer one. */
  const replay = Effect.fnUntraced(function* <A>(
    call: Call<A>,
    first: AccessToken | undefined,
    failed: Failed
  ): Effect.fn.Return<Replayed<A>, Unfinished> {
    let token = first
    let outcome: Classification<A> = failed
    while (token !== undefined && outcome._tag !== "Succeeded") {
      const newer: AccessToken | undefined = yield* rotated(call, token, outcome) ?? reloaded(call, token, outcome)
      if (newer === undefined) break
      token = newer
      outcome = yield* exchange(call, newer)
    }
    return { token, outcome }
  })

  /** The error of a failed exchange. After a 401 it says whether there is an API key to start another session with. */
  const errorOf = Effect.fnUntraced(function* (call: Call<unknown>, failed: Failed, token: AccessToken | undefined) {
    const error = CallError.ofAttempt(call, failed, yield* diagnostics(call.encoded, token))
    if (error._tag !== "InvalidAccessToken" || !(yield* tokens.status).hasUnusedKey) return error
    return CallError.withUnusedKey(error)
  })

  /** What follows the last exchange of an attempt, if it did not succeed: a look-up, or the failure of the attempt. */
  const settle = Effect.fnUntraced(function* <A>(
    call: Call<A>,
    { outcome, token }: Replayed<A>
  ): Effect.fn.Return<A, AttemptFailure> {
    const { encoded, operation, state } = call
    if (outcome._tag === "Succeeded") return outcome.value
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
      const found = yield* lookUp(call, next === "Fail")
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

  const caught = <A>(call: Call<unknown>, attempt: Effect.Effect<A, Unfinished>): Effect.Effect<A, AttemptFailure> =>
    Effect.catchIf(
      attempt,
      (failure): failure is SessionError | TransportError => !("mayResend" in failure),
      (failure) => onSessionFailure(call, failure)
    )

  return {
    /** One attempt, replays included. */
    attempt: <A>(call: Call<A>) => caught(call, attempt(call)),
    /** The end of a call whose first exchange was refused for good. */
    refused: (call: Call<unknown>, token: AccessToken, failed: Failed): Effect.Effect<never, CallError.CallError> =>
      Effect.flatMap(errorOf(call, failed, token), Effect.fail),
    /** The token to begin with. */
    current: (call: Call<unknown>) => caught(call, current(call)),
    /** A newer token after a rotation; `undefined` where the answer does not ask for that. */
    rotated: (call: Call<unknown>, token: AccessToken, failed: Failed) => {
      const newer = rotated(call, token, failed)
      return newer === undefined ? undefined : caught(call, newer)
    },
    /** The token in the store, if it is not the one that was refused. */
    reloaded: (call: Call<unknown>, token: AccessToken, failed: Failed) => caught(call, reloaded(call, token, failed)),
    /** The end of an attempt whose last exchange did not succeed. */
    settle
  }
}
