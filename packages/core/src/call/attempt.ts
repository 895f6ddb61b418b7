/** One attempt of a call: its token, one exchange, and the replays with a newer token. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Result from "effect/Result"
import * as Echoes from "../endpoint/echoes.ts"
import * as Operation from "../endpoint/Operation.ts"
import { isRequested } from "../endpoint/requestedRecord.ts"
import type { Received } from "../endpoint/Wires.ts"
import type { NotSent, TransportError } from "../errors/SdkError.ts"
import type { SessionError } from "../errors/SessionError.ts"
import * as Classification from "../http/Classification.ts"
import * as SendProgress from "../http/SendProgress.ts"
import type { ExchangeResult, InTurn, Transport } from "../http/Transport.ts"
import { nextAfter } from "../retry/resend.ts"
import type { DiagnosticsOf } from "../secrets/Redaction.ts"
import { ScopeHeaders } from "../secrets/SecretRequest.ts"
import type { AccessToken, TokenService } from "../session/TokenService.ts"
import * as Multipart from "../values/Multipart.ts"
import * as CallError from "./callError.ts"
import type { AttemptFailure } from "./callError.ts"
import * as CallState from "./callState.ts"
import { type Call, timeLeft } from "./callState.ts"
import * as Settle from "./settle.ts"
import type { TokenWaits } from "./tokenWaits.ts"
import { waitThroughPause } from "./waits.ts"
import * as WireRecord from "./WireRecord.ts"

/** The maximum number of session rotations for one call, over all its attempts. */
const maxRotations = 2

/**
 * The maximum number of times that one call loads the session again. One load may not be enough, because a part of the
 * service may not accept a new token yet.
 */
const maxReloads = 3

/** The error of a call that ends without a request. */
type Unsent = NotSent | TransportError

/**
 * Sends the request of a call once, with its token if it has one. The result is `undefined` if the deadline of the call
 * has passed. Fails only if an upload cannot be sent again.
 */
export type Exchange = <A>(
  call: Call<A>,
  token: AccessToken | undefined
) => Effect.Effect<Classification.Classification<A> | undefined, Unsent>

type Tokens = Pick<TokenService["Service"], "accepted">

/** Decodes the payload of an answer, once, and checks that it belongs to the call. `undefined`: no success. */
const decode = <A>(call: Call<A>, received: Received | undefined): Result.Result<A, string> | undefined => {
  const { about, encoded, existing, operation, wire } = call
  const envelope = received === undefined ? undefined : wire.answer(received, call)
  if (envelope === undefined) return undefined
  if (Result.isFailure(envelope)) return Result.fail(envelope.failure)
  const decoded = Operation.codec(operation).decode(envelope.success, wire.place)
  if (Result.isFailure(decoded)) return decoded
  if (!isRequested(about, encoded, decoded.success)) {
    return Result.fail("the record in it has another id than the one that was asked for")
  }
  const confirmed = existing === undefined ? decoded : existing.confirmed(decoded.success)
  return wire.echoes === undefined
    ? confirmed
    : Result.flatMap(confirmed, (payload) => Echoes.confirm(wire, encoded, payload))
}

/** Reads and classifies the result of a request, records a failure in the call's state, and reports an accepted token. */
const read = <A>(
  tokens: Tokens,
  call: Call<A>,
  token: AccessToken | undefined,
  answer: ExchangeResult
): Classification.Classification<A> => {
  const { operation, state, wire } = call
  const kind = operation.safety === "session" ? "auth" : "call"
  const payload = decode(call, Classification.received(kind, answer))
  const classified = Classification.classify(kind, answer, payload, wire)
  const closeReused = state.progress?.closeReused
  const outcome = closeReused === undefined ? classified : Classification.onReused(classified)
  if (outcome._tag === "InDoubt") closeReused?.()
  if (outcome._tag !== "Succeeded") CallState.failed(state, operation.safety, outcome)
  if (token !== undefined && Classification.acceptsToken(outcome)) tokens.accepted?.(token)
  return outcome
}

/** The error of an upload that cannot be sent again. */
const spentUpload = ({ encoded, operation }: Call<unknown>): Unsent | undefined => {
  const upload = encoded.body._tag === "Multipart" ? Multipart.findSpent(encoded.body.fields) : undefined
  if (upload === undefined) return undefined
  const reason = `${upload} can be read only once, and an attempt that the service rejected has read it`
  return CallError.noAnswer(operation, "NotSent", reason)
}

const tooLate: ExchangeResult = { _tag: "NotAnswered", phase: "NotSent", reason: "too late", isLate: true }

/** Makes an {@link Exchange} over a transport. `inTurn` applies the rate limit. */
export const exchangeOver = (
  transport: Transport["Service"],
  tokens: Tokens,
  inTurn: InTurn | undefined,
  diagnostics: DiagnosticsOf
): Exchange => {
  const send = ({ encoded, endsAt, operation, request, state, wire }: Call<unknown>, token: AccessToken | undefined) =>
    Effect.withFiber((fiber) => {
      const deadline = timeLeft(fiber, endsAt)
      // If no time is left, do not hand the request to the transport, so that certainly nothing is sent.
      if (Duration.isZero(deadline)) return Effect.succeed(tooLate)
      // A request without an access token, and its answer, hold secrets that no one knows yet.
      const record = token === undefined ? undefined : WireRecord.start(fiber, operation.operation)
      const mayStart = fiber.getRef(SendProgress.MayStart)
      const progress = SendProgress.make(mayStart, Echoes.areSent(wire, encoded), record?.onRequest)
      CallState.sends(state, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe(), progress)
      const headers = fiber.getRef(ScopeHeaders)
      const own = headers === undefined ? request : HttpClientRequest.setHeaders(request, headers)
      const sent = transport.send(own, token?.value, { progress, deadline })
      return record === undefined ? sent : record.follow(sent, progress, diagnostics(encoded, token))
    })

  const sendInTurn = (inTurn: InTurn, call: Call<unknown>, token: AccessToken | undefined) =>
    Effect.withFiber((fiber) => {
      CallState.does(call.state, "the call waited for its turn under requestsPerSecond")
      return inTurn(send(call, token), timeLeft(fiber, call.endsAt), tooLate)
    })

  return <A>(call: Call<A>, token: AccessToken | undefined) => {
    const error = spentUpload(call)
    if (error !== undefined) return Effect.fail(error)
    return Effect.map(inTurn === undefined ? send(call, token) : sendInTurn(inTurn, call, token), (answer) =>
      answer._tag === "NotAnswered" && answer.isLate === true ? undefined : read(tokens, call, token, answer)
    )
  }
}

type Unfinished = AttemptFailure | SessionError | Unsent

export interface Options extends Settle.Options {
  readonly tokens: TokenService["Service"]
  readonly waits: TokenWaits
  readonly exchange: Exchange
}

/** Makes one attempt of a call, replays included. */
export const make = (options: Options) => {
  const { exchange, tokens, waits } = options
  const settle = Settle.make(options)

  /** Waits for a token until the deadline of the call. Goes on waiting while the session cannot give one yet. */
  const waitForToken = (
    call: Call<unknown>,
    key: unknown,
    ask: Effect.Effect<AccessToken, SessionError>
  ): Effect.Effect<AccessToken, AttemptFailure | SessionError> =>
    waitThroughPause(
      call,
      waits.join(call.endsAt, key, ask, () => Settle.endLate(call))
    )

  /** Sends a call, and replays it at once while the service refuses the token and the session has a newer one. */
  const send = <A>(call: Call<A>, token: AccessToken | undefined): Effect.Effect<A, Unfinished> =>
    Effect.flatMap(exchange(call, token), (outcome) => {
      if (outcome === undefined) return Settle.endLate(call)
      if (outcome._tag === "Succeeded") return Effect.succeed(outcome.value)
      const next = nextAfter(call.operation.safety, outcome._tag)
      const { reloads, rotations } = call.state
      if (token !== undefined && next === "Rotate" && rotations < maxRotations) return sendRotated(call, token)
      if (token === undefined || next !== "Reload" || reloads >= maxReloads) return settle(call, token, outcome)
      return Effect.flatMap(reload(call, token), (newest) =>
        newest.generation !== token.generation || newest.isRecent === true
          ? send(call, newest)
          : settle(call, token, outcome)
      )
    })

  /** Sends with a newer token. A separate function, so that no closure keeps the rejected answer in memory. */
  const sendRotated = <A>(call: Call<A>, { generation, value }: AccessToken): Effect.Effect<A, Unfinished> => {
    call.state.rotations++
    CallState.does(call.state, "the session was being rotated, which continues")
    return Effect.flatMap(waitForToken(call, value, tokens.rotate(generation, value)), (next) => send(call, next))
  }

  /** Loads the token from the store. Calls share no load, because each load must begin after the 401 of its call. */
  const reload = (call: Call<unknown>, { generation, value }: AccessToken) => {
    call.state.reloads++
    CallState.does(call.state, "the session was loaded from its store")
    return waitForToken(call, call, tokens.reload(generation, value))
  }

  return <A>(call: Call<A>): Effect.Effect<A, AttemptFailure> =>
    Effect.suspend((): Effect.Effect<A, Unfinished> => {
      if (call.operation.safety === "session") return send(call, undefined)
      const inUse = tokens.inUse?.()
      if (inUse !== undefined) return send(call, inUse)
      CallState.does(call.state, "the call waited for an access token")
      return Effect.flatMap(waitForToken(call, "current", tokens.current), (token) => send(call, token))
    }).pipe(
      Effect.catchIf(
        (failure): failure is SessionError | Unsent => !("mayResend" in failure),
        // If an earlier attempt may have taken effect, the outcome stays unknown.
        (failure) => Settle.endCall(Settle.isInDoubt(call) ? CallError.outcomeUnknown(call, failure.message) : failure)
      )
    )
}
