/** One attempt of a call: token, exchange, result. What follows a failure is in the second half. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Result from "effect/Result"
import type { AttemptOutcome, Failed } from "../AttemptOutcome.ts"
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

/** What came of an exchange and its replays, and the token that was used last. */
interface Replayed<A> {
  readonly token: AccessToken | undefined
  readonly outcome: AttemptOutcome<A>
}

export interface Options {
  readonly tokens: TokenService["Service"]
  readonly exchange: <A>(
    call: Call<A>,
    token: AccessToken | undefined
  ) => Effect.Effect<AttemptOutcome<A>, TransportError>
  /** What an error may hold of an answer. */
  readonly diagnostics: (encoded: Encoded, token: AccessToken | undefined) => Effect.Effect<Diagnostics>
  readonly lookUp: <A>(call: Call<A>) => Effect.Effect<Found<A>>
}

/** Makes one attempt of a call, replays included. */
export const make = ({ diagnostics, exchange, lookUp, tokens }: Options) => {
  const attempt = <A>(call: Call<A>): Effect.Effect<A, AttemptFailure | SessionError | TransportError> =>
    call.operation.safety === "session"
      ? sendWith(call, undefined)
      : Effect.suspend(() => {
          MutableRef.update(call.state, CallState.awaitingToken)
          return Effect.flatMap(outwaiting(call, tokens.current), (token) => sendWith(call, token))
        })

  const sendWith = <A>(
    call: Call<A>,
    token: AccessToken | undefined
  ): Effect.Effect<A, AttemptFailure | SessionError | TransportError> =>
    Effect.flatMap(exchange(call, token), (outcome) =>
      outcome._tag === "Succeeded" ? Effect.succeed(outcome.value) : recover(call, token, outcome)
    )

  /** A newer token than the one that was refused, or `undefined` where none can be had for this call. */
  const newerToken = Effect.fnUntraced(function* (
    call: Call<unknown>,
    token: AccessToken,
    failed: Failed
  ): Effect.fn.Return<AccessToken | undefined, SessionError> {
    const { operation, state } = call
    const { reloads, rotations } = MutableRef.get(state)
    const next = Replay.next(operation.safety, failed._tag)
    if (next === "Rotate" && rotations < maxRotations) {
      MutableRef.update(state, CallState.rotating)
      return yield* outwaiting(call, tokens.rotate(token.generation))
    }
    if (next === "Reload" && reloads < maxReloads) {
      MutableRef.update(state, CallState.reloading)
      const newest = yield* outwaiting(call, tokens.reload(token.generation))
      return newest.generation !== token.generation || newest.isRecent === true ? newest : undefined
    }
    return undefined
  })

  /** Replays a request at once, for as long as it is refused for its token and there is a newer one. */
  const replay = Effect.fnUntraced(function* <A>(
    call: Call<A>,
    first: AccessToken | undefined,
    failed: Failed
  ): Effect.fn.Return<Replayed<A>, SessionError | TransportError> {
    let token = first
    let outcome: AttemptOutcome<A> = failed
    while (token !== undefined && outcome._tag !== "Succeeded") {
      const newer: AccessToken | undefined = yield* newerToken(call, token, outcome)
      if (newer === undefined) break
      token = newer
      outcome = yield* exchange(call, newer)
    }
    return { token, outcome }
  })

  /** What follows an exchange that did not succeed: a replay, a look-up, or the failure of the attempt. */
  const recover = Effect.fnUntraced(function* <A>(
    call: Call<A>,
    first: AccessToken | undefined,
    failed: Failed
  ): Effect.fn.Return<A, AttemptFailure | SessionError | TransportError> {
    const { encoded, operation, state } = call
    const { outcome, token } = yield* replay(call, first, failed)
    if (outcome._tag === "Succeeded") return outcome.value
    const { reason, retryAfter } = outcome
    const next = Replay.next(operation.safety, outcome._tag)
    const isInDoubt = operation.safety !== "read" && MutableRef.get(state).doubt !== undefined
    if (!isInDoubt) {
      const error = CallError.ofAttempt(call, outcome, yield* diagnostics(encoded, token))
      return yield* Effect.fail({ error, mayResend: next === "Resend", retryAfter })
    }
    const shown = CallError.evidence(call, outcome, yield* diagnostics(encoded, token))
    MutableRef.update(state, CallState.showing(shown))
    let mayResend = next === "Resend"
    // A second creation may be refused because the first one has succeeded.
    if (next === "LookUp" || next === "Fail") {
      const found = yield* lookUp(call)
      if (Result.isSuccess(found)) return found.success
      mayResend = next === "LookUp" && found.failure === "Absent"
    }
    const error = CallError.outcomeUnknown(operation, encoded, MutableRef.get(state), reason)
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

  const caught = <A>(
    call: Call<A>,
    attempt: Effect.Effect<A, AttemptFailure | SessionError | TransportError>
  ): Effect.Effect<A, AttemptFailure> =>
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
      Effect.flatMap(diagnostics(call.encoded, token), (shown) =>
        Effect.fail(CallError.ofAttempt(call, failed, shown))
      ),
    /** The rest of an attempt whose exchange did not succeed. */
    recover: <A>(call: Call<A>, token: AccessToken, failed: Failed) => caught(call, recover(call, token, failed))
  }
}
