/** Sends the request of a call once, and reads its result. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Result from "effect/Result"
import * as Classification from "../http/Classification.ts"
import type { Existing, Operation } from "../endpoint/Operation.ts"
import type { Encoded } from "../endpoint/Wires.ts"
import type * as RetryPolicy from "../retry/RetryPolicy.ts"
import { TransportError } from "../errors/SdkError.ts"
import * as SendProgress from "../http/SendProgress.ts"
import type { AccessToken, TokenService } from "../session/TokenService.ts"
import type { ExchangeResult, Transport } from "../http/Transport.ts"
import type { Wire } from "../endpoint/Wires.ts"
import * as CallState from "./callState.ts"
import type { InTurn } from "../http/rateLimit.ts"
import { ScopeHeaders } from "./scopeHeaders.ts"
import * as Multipart from "../values/Multipart.ts"

/** One call, from its first attempt to its last. */
export interface Call<A> {
  readonly operation: Operation<A, unknown>
  readonly encoded: Encoded
  readonly wire: Wire
  /** Where to continue in a list that is paged by cursor. */
  readonly cursor: string | undefined
  readonly request: HttpClientRequest.HttpClientRequest
  /** What it creates; `undefined` if that cannot be looked up by name. */
  readonly existing: Existing<A> | undefined
  readonly policy: RetryPolicy.RetryPolicy
  /** How long all of it may take. */
  readonly deadline: Duration.Duration
  /** When its deadline passes, in seconds of the monotonic clock. */
  readonly endsAt: number
  readonly state: CallState.CallState
}

/** Seconds of the monotonic clock. */
export const secondsOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e9

/** How much is left until a time of the monotonic clock. */
export const timeLeft = (fiber: Fiber.Fiber<unknown, unknown>, endsAt: number): Duration.Duration =>
  Duration.seconds(Math.max(0, endsAt - secondsOf(fiber.getRef(Clock.Clock))))

type Tokens = Pick<TokenService["Service"], "accepted">

/** Reads the result of the request, notes a failure, and reports a token that the service has accepted. */
const read = <A>(
  tokens: Tokens,
  call: Call<A>,
  token: AccessToken | undefined,
  answer: ExchangeResult
): Classification.Classification<A> => {
  const { encoded, existing, operation, state, wire } = call
  const kind = operation.safety === "session" ? "auth" : "call"
  const payload = (body: unknown, status: number) => {
    const decoded = operation.decode(wire.envelope(body, status, call), wire.place)
    if (existing !== undefined) return Result.flatMap(decoded, existing.confirmed)
    const isRequested = Result.isFailure(decoded) || operation.isRequested?.(encoded, decoded.success) !== false
    return isRequested ? decoded : Result.fail("the record in it has another id than the one that was asked for")
  }
  const outcome = Classification.classify(kind, answer, payload, wire)
  if (outcome._tag !== "Succeeded") CallState.failed(state, operation.safety, outcome)
  if (token !== undefined && Classification.acceptsToken(outcome)) tokens.accepted?.(token)
  return outcome
}

/** The error of an upload that cannot be sent again. */
const spent = ({ encoded, operation }: Call<unknown>): TransportError | undefined => {
  const upload = encoded.body._tag === "Multipart" ? Multipart.findSpent(encoded.body.fields) : undefined
  if (upload === undefined) return undefined
  const reason = `${upload} can be read only once, and an attempt that the service rejected has read it`
  return new TransportError({ operation: operation.operation, phase: "NotSent", reason })
}

const tooLate: ExchangeResult = { _tag: "NotAnswered", phase: "NotSent", reason: "too late", isLate: true }

/**
 * Sends the request of a call once, with the token if one is given: `undefined` when the call's deadline has passed.
 * Fails only where an upload cannot be sent again.
 */
export type Exchange = <A>(
  call: Call<A>,
  token: AccessToken | undefined
) => Effect.Effect<Classification.Classification<A> | undefined, TransportError>

export const make = (transport: Transport["Service"], tokens: Tokens, inTurn: InTurn | undefined): Exchange => {
  const send = ({ endsAt, request, state }: Call<unknown>, token: AccessToken | undefined) =>
    Effect.withFiber((fiber) => {
      const deadline = timeLeft(fiber, endsAt)
      // A request that would be cut short at once is certainly not sent.
      if (Duration.isZero(deadline)) return Effect.succeed(tooLate)
      const progress = SendProgress.make()
      CallState.sends(state, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe(), progress)
      const headers = fiber.getRef(ScopeHeaders)
      const own = headers === undefined ? request : HttpClientRequest.setHeaders(request, headers)
      return transport.send(own, token?.value, { progress, deadline })
    })

  const sendInTurn = (inTurn: InTurn, call: Call<unknown>, token: AccessToken | undefined) =>
    Effect.withFiber((fiber) => {
      CallState.does(call.state, "the call waited for its turn under requestsPerSecond")
      return inTurn(send(call, token), timeLeft(fiber, call.endsAt), tooLate)
    })

  return <A>(call: Call<A>, token: AccessToken | undefined) => {
    const error = spent(call)
    if (error !== undefined) return Effect.fail(error)
    return Effect.map(inTurn === undefined ? send(call, token) : sendInTurn(inTurn, call, token), (answer) =>
      answer._tag === "NotAnswered" && answer.isLate === true ? undefined : read(tokens, call, token, answer)
    )
  }
}
