/** One attempt of a call: token, exchange, result. The second half handles failures. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Failed } from "../http/Classification.ts"
import { nextAfter } from "../retry/replay.ts"
import type { Encoded } from "../endpoint/Wires.ts"
import type { SessionError } from "../errors/SessionError.ts"
import type { TransportError } from "../errors/SdkError.ts"
import type { AccessToken, TokenService } from "../session/TokenService.ts"
import * as CallError from "./callError.ts"
import type { AttemptFailure } from "./callError.ts"
import * as CallState from "./callState.ts"
import { type Call, type Exchange, timeLeft } from "./exchange.ts"
import type { Diagnostics } from "./knownSecrets.ts"
import type { Found } from "./lookUp.ts"
import { outwaiting } from "./resend.ts"
import type { TokenWaits } from "./tokenWaits.ts"

/** One call rotates the session this often at most, over all its attempts. */
const maxRotations = 2

/** One call loads the session this often at most. More than once: a new token may not be accepted everywhere yet. */
const maxReloads = 3

type Unfinished = AttemptFailure | SessionError | TransportError

/** The end of a call. */
const ends = (error: CallError.CallError): Effect.Effect<never, AttemptFailure> =>
  Effect.fail({ error, mayResend: false, retryAfter: undefined })

/** The end of a call whose deadline has passed, with the error that says what was sent. */
const late = (call: Call<unknown>): Effect.Effect<never, AttemptFailure> =>
  Effect.suspend(() => ends(CallError.deadlinePassed(call)))

/** Whether it is in doubt that a call has taken effect. */
const isInDoubt = ({ operation, state }: Call<unknown>): boolean =>
  operation.safety !== "read" && state.doubt !== undefined

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
      waits.join(call.endsAt, key, ask, () => late(call))
    )

  /** Sends, and replays at once for as long as the request is refused for its token and there is a newer one. */
  const send = <A>(call: Call<A>, token: AccessToken | undefined): Effect.Effect<A, Unfinished> =>
    Effect.flatMap(exchange(call, token), (outcome) => {
      if (outcome === undefined) return late(call)
      if (outcome._tag === "Succeeded") return Effect.succeed(outcome.value)
      const next = nextAfter(call.operation.safety, outcome._tag)
      const { reloads, rotations } = call.state
      if (token !== undefined && next === "Rotate" && rotations < maxRotations) return sendRotated(call, token)
      if (token === undefined || next !== "Reload" || reloads >= maxReloads) return settle(call, token, outcome)
      return Effect.flatMap(reloaded(call, token), (newest) =>
        newest.generation !== token.generation || newest.isRecent === true
          ? send(call, newest)
          : settle(call, token, outcome)
      )
    })

  /** Sends with a newer token. A separate function, so that a waiting call does not keep its answer in memory. */
  const sendRotated = <A>(call: Call<A>, { generation, value }: AccessToken): Effect.Effect<A, Unfinished> => {
    call.state.rotations++
    CallState.does(call.state, "the session was being rotated, which continues")
    return Effect.flatMap(tokenOf(call, value, tokens.rotate(generation, value)), (next) => send(call, next))
  }

  /** The token in the store. Not shared between calls: the record has to be read after the call's own 401. */
  const reloaded = (call: Call<unknown>, { generation, value }: AccessToken) => {
    call.state.reloads++
    CallState.does(call.state, "the session was loaded from its store")
    return tokenOf(call, call, tokens.reload(generation, value))
  }

  /** What follows the last exchange of an attempt, if it did not succeed: a look-up, or the failure of the attempt. */
  const settle = Effect.fnUntraced(function* <A>(
    call: Call<A>,
    token: AccessToken | undefined,
    outcome: Failed
  ): Effect.fn.Return<A, AttemptFailure> {
    const { encoded, operation, state } = call
    const { reason, retryAfter } = outcome
    const next = nextAfter(operation.safety, outcome._tag)
    const shown = yield* diagnostics(encoded, token)
    if (!isInDoubt(call)) {
      const error = CallError.ofAttempt(call, outcome, shown)
      return yield* Effect.fail({ error, mayResend: next === "Resend", retryAfter })
    }
    state.evidence ??= CallError.evidence(call, outcome, shown)
    let mayResend = next === "Resend"
    let lookUpReason: string | undefined
    // A second creation may be refused because the first one has succeeded, or because somebody else has the name in
    // another spelling.
    if (next === "LookUp" || next === "Fail") {
      const found = yield* Effect.withFiber((fiber) =>
        Effect.timeoutOrElse(lookUp(call, next === "Fail"), {
          duration: timeLeft(fiber, call.endsAt),
          orElse: () => late(call)
        })
      )
      if (Result.isSuccess(found)) return found.success
      mayResend = next === "LookUp" && found.failure._tag === "Absent"
      if (found.failure._tag === "Unknown") lookUpReason = found.failure.reason
    }
    const error = CallError.outcomeUnknown(call, reason, lookUpReason)
    return yield* Effect.fail({ error, mayResend, retryAfter })
  })

  /** One attempt, replays included. */
  return <A>(call: Call<A>): Effect.Effect<A, AttemptFailure> =>
    Effect.suspend((): Effect.Effect<A, Unfinished> => {
      if (call.operation.safety === "session") return send(call, undefined)
      const inUse = tokens.inUse?.()
      if (inUse !== undefined) return send(call, inUse)
      CallState.does(call.state, "the call waited for an access token")
      return Effect.flatMap(tokenOf(call, "current", tokens.current), (token) => send(call, token))
    }).pipe(
      Effect.catchIf(
        (failure): failure is SessionError | TransportError => !("mayResend" in failure),
        // What an earlier attempt left in doubt stays in doubt.
        (failure) => ends(isInDoubt(call) ? CallError.outcomeUnknown(call, failure.message) : failure)
      )
    )
}
