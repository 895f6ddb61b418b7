/**
 * Spans and metrics of calls. Where nobody listens, each part finds that out by one look at the fiber. A call has a span
 * of its own, and each of its requests one by OpenTelemetry's conventions for HTTP clients.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Environment } from "../Environment.ts"
import type { Operation, Route } from "../Operation.ts"
import { type Listener, metrics } from "../Telemetry.ts"
import * as SendProgress from "../SendProgress.ts"
import type { ExchangeResult, Transport } from "../Transport.ts"
import type { CallError } from "./callError.ts"
import * as OutcomeLabel from "./outcomeLabel.ts"
import type * as Exchange from "./exchange.ts"
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
const isOn = (listener: Listener | undefined, fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  listener !== undefined || Span.isTraced(fiber)

/**
 * The transport, which notes how far a request is and how it ended where that request is followed, and adds the caller's
 * trace if that is asked for.
 */
const observedTransport = (
  { environment, send }: Transport["Service"],
  listener: Listener | undefined
): Transport["Service"] => {
  const traced = (fiber: Fiber.Fiber<unknown, unknown>, request: HttpClientRequest.HttpClientRequest) => {
    const trace = listener?.sendsTraceContext === true ? Span.traceparent(fiber.context) : undefined
    return trace === undefined ? request : HttpClientRequest.setHeader(request, "traceparent", trace)
  }
  return {
    environment,
    send: (request, token, options) =>
      Effect.withFiber((fiber) => {
        const seen = fiber.getRef(RequestSeen)
        if (seen === undefined) return send(request, token, options)
        seen.progress = options.progress
        return Effect.map(send(traced(fiber, request), token, options), (answer) => {
          if (answer._tag === "Answered" || answer.isLate !== true) seen.answer = answer
          return answer
        })
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

/** Follows the exchanges of the calls that are followed. An outcome is `undefined` where the deadline has passed. */
const followExchange = (
  environment: Environment,
  listener: Listener | undefined,
  exchange: Exchange.Exchange
): Exchange.Exchange => {
  const follow = request(environment, listener)
  return (call, token) =>
    Effect.withFiber((fiber) => {
      const seen = fiber.getRef(CallSeen)
      if (seen === undefined) return exchange(call, token)
      const {
        operation: { operation },
        wire: { route }
      } = call
      // A look-up reads by another operation, on behalf of the call.
      const own = seen.operation === operation ? seen : undefined
      const resends = own?.attempts ?? 0
      const request: RequestSeen = { progress: undefined, answer: undefined }
      if (own === undefined) seen.lookUps++
      else {
        own.attempts++
        own.last = request
        own.generation = token?.generation
        if (own.isTokenRefused) own.replays++
      }
      return follow({ operation, route, resends }, request, exchange(call, token), (outcome) => {
        if (outcome === undefined) return phaseOf(request) === "NotSent" ? "not_sent" : "in_doubt"
        if (own !== undefined) own.isTokenRefused = outcome._tag === "Expired" || outcome._tag === "Unauthorized"
        return OutcomeLabel.ofAttempt(outcome)
      })
    })
}

/** Follows a request that is no call: one of a session for its tokens. */
export const authRequest = (transport: Transport["Service"], listener: Listener | undefined) => {
  const follow = request(transport.environment, listener)
  const { send } = observedTransport(transport, listener)
  return (
    { operation, route }: Operation<unknown, unknown>,
    message: HttpClientRequest.HttpClientRequest,
    progress: SendProgress.SendProgress
  ): Effect.Effect<ExchangeResult> =>
    follow(
      { operation, route, resends: 0 },
      { progress: undefined, answer: undefined },
      send(message, undefined, { progress }),
      OutcomeLabel.ofAnswer
    )
}

/** Follows the calls that somebody observes, from their beginning to their end. */
const followCall =
  (listener: Listener | undefined, calls: Calls): Calls =>
  (target, input) =>
    Effect.withFiber((fiber) => {
      if (!isOn(listener, fiber)) return calls(target, input)
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

/** A client whose calls are followed where somebody observes them. `make` gives the client over its exchange. */
export const client = (
  transport: Transport["Service"],
  listener: Listener | undefined,
  exchangeOf: (transport: Transport["Service"]) => Exchange.Exchange,
  make: (exchange: Exchange.Exchange) => Calls
): Calls => {
  const exchange = exchangeOf(observedTransport(transport, listener))
  return followCall(listener, make(followExchange(transport.environment, listener, exchange)))
}
