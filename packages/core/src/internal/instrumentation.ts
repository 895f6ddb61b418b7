/**
 * Spans and metrics of calls. They wrap the calls from outside, so none of this runs where nobody listens. A call has a
 * span of its own, and each of its requests one by OpenTelemetry's conventions for HTTP clients.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Classification } from "../Classification.ts"
import type { Environment } from "../Environment.ts"
import type { Operation, Route } from "../Operation.ts"
import { type Listener, metrics } from "../Telemetry.ts"
import * as SendProgress from "../SendProgress.ts"
import type { AccessToken, TokenService } from "../TokenService.ts"
import type { ExchangeResult, Transport } from "../Transport.ts"
import type * as Call from "./call.ts"
import type { CallError } from "./callError.ts"
import * as OutcomeLabel from "./outcomeLabel.ts"
import * as Exchange from "./exchange.ts"
import type { InTurn } from "./rateLimit.ts"
import * as Span from "./span.ts"

/** Calls an operation. */
type Calls = <A>(operation: Operation<A, unknown>, input: unknown) => Effect.Effect<A, CallError>

/** What was seen of a call so far. */
interface CallSeen {
  readonly operation: string
  attempts: number
  replays: number
  lookUps: number
  generation: number | undefined
  last: RequestSeen | undefined
  /** Whether the service has refused the token of its last request. */
  isTokenRefused: boolean
}

/** What was seen of a request so far. */
interface RequestSeen {
  /** How far it is, from the moment the transport has it. */
  progress: SendProgress.SendProgress | undefined
  answer: ExchangeResult | undefined
}

const CallSeen = Context.Reference<CallSeen | undefined>("@effect-custody/core/internal/CallSeen", {
  defaultValue: () => undefined
})

const RequestSeen = Context.Reference<RequestSeen | undefined>("@effect-custody/core/internal/RequestSeen", {
  defaultValue: () => undefined
})

/** Whether a request was answered, may have arrived, or was certainly not sent. */
const phaseOf = (request: RequestSeen | undefined): string => {
  const answer = request?.answer
  if (answer !== undefined) return answer._tag === "Answered" ? "Answered" : answer.phase
  const stage = request?.progress?.stage ?? "Waiting"
  return stage === "Waiting" ? "NotSent" : "MaybeProcessed"
}

const statusOf = (request: RequestSeen | undefined): number | undefined =>
  request?.answer?._tag === "Answered" ? request.answer.status : undefined

/** Whether calls are observed: somebody listens, or has provided a tracer. */
export const isOn = (listener: Listener | undefined, fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  listener !== undefined || Span.isTraced(fiber)

/** The transport, which notes how far a request is and how it ended, and adds the caller's trace if that is asked for. */
const observedTransport = (
  { environment, send, sendWithin }: Transport["Service"],
  listener: Listener | undefined
): Transport["Service"] => {
  const traced = (fiber: Fiber.Fiber<unknown, unknown>, request: HttpClientRequest.HttpClientRequest) => {
    const trace = listener?.sendsTraceContext === true ? Span.traceparent(fiber.context) : undefined
    return trace === undefined ? request : HttpClientRequest.setHeader(request, "traceparent", trace)
  }
  const noted = <A extends ExchangeResult | undefined>(
    fiber: Fiber.Fiber<unknown, unknown>,
    progress: SendProgress.SendProgress | undefined,
    sent: Effect.Effect<A>
  ): Effect.Effect<A> => {
    const seen = fiber.getRef(RequestSeen)
    if (seen === undefined) return sent
    seen.progress = progress
    return Effect.map(sent, (answer) => {
      seen.answer = answer
      return answer
    })
  }
  return {
    environment,
    send: (request, token) =>
      Effect.withFiber((fiber) =>
        noted(fiber, fiber.getRef(SendProgress.SendProgress), send(traced(fiber, request), token))
      ),
    ...(sendWithin === undefined
      ? {}
      : {
          sendWithin: (request, token, options) =>
            Effect.withFiber((fiber) =>
              noted(fiber, options.progress, sendWithin(traced(fiber, request), token, options))
            )
        })
  }
}

interface Request {
  readonly operation: string
  readonly route: Route
  /** How often it was sent before. */
  readonly resends: number
}

/** The service, by OpenTelemetry's names. */
const serverOf = ({ baseUrl }: Environment): Span.Attributes => {
  const url = URL.parse(baseUrl)
  if (url === null) return {}
  const { hostname, port, protocol } = url
  return {
    "server.address": hostname,
    "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    "url.scheme": protocol.slice(0, -1)
  }
}

/** A request in its span, which is counted when it ends. `outcomeOf` says how, from a value or an answer. */
const request = (environment: Environment, listener: Listener | undefined) => {
  const server = serverOf(environment)
  return <A, E>(
    { operation, resends, route: { method, path } }: Request,
    seen: RequestSeen,
    effect: Effect.Effect<A, E>,
    outcomeOf: (value: A) => string
  ): Effect.Effect<A, E> => {
    const ended = (exit: Exit.Exit<A, E>): Span.End => {
      const outcome = Exit.isSuccess(exit) ? outcomeOf(exit.value) : OutcomeLabel.ofFailedAttempt(exit.cause)
      listener?.count(metrics.attempts, { operation, outcome })
      const { answer } = seen
      const failure =
        outcome === "succeeded" ? undefined : answer === undefined ? outcome : OutcomeLabel.errorType(answer)
      return {
        attributes: {
          "custody.attempt.outcome": outcome,
          "custody.send_phase": phaseOf(seen),
          "http.response.status_code": statusOf(seen),
          "error.type": failure
        },
        failure
      }
    }
    const sending = Effect.provideService(effect, RequestSeen, seen)
    const attributes = {
      "http.request.method": method,
      "url.template": path,
      ...server,
      "custody.operation": operation,
      ...(resends > 0 ? { "http.request.resend_count": resends } : {})
    }
    return Effect.withFiber((fiber) =>
      Span.isTraced(fiber)
        ? Span.inSpan(sending, `${method} ${path}`, { kind: "client", attributes }, ended)
        : Effect.onExit(sending, (exit) => Effect.sync(() => ended(exit)))
    )
  }
}

/** Follows one exchange of a call. Its outcome is `undefined` where the call's deadline has passed. */
const followExchange = (environment: Environment, listener: Listener | undefined) => {
  const follow = request(environment, listener)
  return <A extends Classification<unknown> | undefined, E>(
    fiber: Fiber.Fiber<unknown, unknown>,
    { operation: { operation }, wire: { route } }: Exchange.Call<unknown>,
    token: AccessToken | undefined,
    exchange: Effect.Effect<A, E>
  ): Effect.Effect<A, E> => {
    const seen = fiber.getRef(CallSeen)
    // A look-up reads by another operation, on behalf of the call.
    const own = seen?.operation === operation ? seen : undefined
    const resends = own?.attempts ?? 0
    const request: RequestSeen = { progress: undefined, answer: undefined }
    if (own !== undefined) {
      own.attempts++
      own.last = request
      own.generation = token?.generation
      if (own.isTokenRefused) own.replays++
    } else if (seen !== undefined) {
      seen.lookUps++
    }
    return follow({ operation, route, resends }, request, exchange, (outcome) => {
      if (outcome === undefined) return phaseOf(request) === "NotSent" ? "not_sent" : "in_doubt"
      if (own !== undefined) own.isTokenRefused = outcome._tag === "Expired" || outcome._tag === "Unauthorized"
      return OutcomeLabel.ofAttempt(outcome)
    })
  }
}

/** Follows a request that is no call: one of a session for its tokens. */
export const authRequest = (transport: Transport["Service"], listener: Listener | undefined) => {
  const follow = request(transport.environment, listener)
  const { send } = observedTransport(transport, listener)
  return (
    { operation, route }: Operation<unknown, unknown>,
    ...[message, accessToken]: Parameters<Transport["Service"]["send"]>
  ): Effect.Effect<ExchangeResult> =>
    follow(
      { operation, route, resends: 0 },
      { progress: undefined, answer: undefined },
      send(message, accessToken),
      OutcomeLabel.ofAnswer
    )
}

/** Follows a call, from its beginning to its end. */
const followCall =
  (listener: Listener | undefined, calls: Calls): Calls =>
  (target, input) =>
    Effect.withFiber((fiber) => {
      const { operation, provenance, safety } = target
      const clock = fiber.getRef(Clock.Clock)
      const began = clock.monotonicTimeNanosUnsafe()
      const seen: CallSeen = {
        operation,
        attempts: 0,
        replays: 0,
        lookUps: 0,
        generation: undefined,
        last: undefined,
        isTokenRefused: false
      }
      const ended = (exit: Exit.Exit<unknown, CallError>): Span.End => {
        const { code, outcome, tag } = OutcomeLabel.of(exit)
        if (listener !== undefined) {
          listener.count(metrics.calls, { operation, outcome })
          listener.record(metrics.callDuration, { operation }, Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9)
          if (outcome === "uncertain") listener.count(metrics.uncertainOutcomes, {})
        }
        return {
          attributes: {
            "custody.outcome": outcome,
            "custody.attempts": seen.attempts,
            "custody.replays": seen.replays,
            "custody.look_ups": seen.lookUps,
            "custody.generation": seen.generation,
            "custody.send_phase": phaseOf(seen.last),
            "custody.code": code,
            "http.response.status_code": statusOf(seen.last),
            "error.type": tag
          },
          failure: tag
        }
      }
      const followed = Effect.provideService(calls(target, input), CallSeen, seen)
      if (!Span.isTraced(fiber)) return Effect.onExit(followed, (exit) => Effect.sync(() => ended(exit)))
      const attributes = {
        "custody.operation": operation,
        "custody.category": operation.slice(0, operation.indexOf(".")),
        "custody.safety": safety,
        "custody.provenance": provenance
      }
      return Span.inSpan(followed, `custody.${operation}`, { kind: "internal", attributes }, ended)
    })

type Exchanges = Pick<Call.Options, "exchange" | "first">

/** A client that is followed. `make` gives the client over its exchanges. */
export const client = (
  transport: Transport["Service"],
  tokens: TokenService["Service"],
  inTurn: InTurn | undefined,
  listener: Listener | undefined,
  make: (exchanges: Exchanges) => Calls
): Calls => {
  const observed = observedTransport(transport, listener)
  const follow = followExchange(transport.environment, listener)
  const exchange = Exchange.make(observed, tokens, inTurn)
  const first = Exchange.makeFirst(observed, tokens)
  const followed: Exchanges = {
    exchange: (call, token) => Effect.withFiber((fiber) => follow(fiber, call, token, exchange(call, token))),
    first:
      first === undefined
        ? undefined
        : (fiber, call, token, deadline) =>
            follow(
              fiber,
              call,
              token,
              Effect.suspend(() => first(fiber, call, token, deadline))
            )
  }
  return followCall(listener, make(followed))
}
