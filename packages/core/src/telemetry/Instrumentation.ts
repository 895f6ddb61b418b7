/**
 * Spans and metrics: a span for each call, and one for each request by OpenTelemetry's conventions for HTTP clients.
 *
 * @stability unstable
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Environment } from "../http/Environment.ts"
import type { Operation } from "../endpoint/Operation.ts"
import type { Route } from "../endpoint/Declaration.ts"
import * as Sender from "../http/Sender.ts"
import type { Listener } from "./Listener.ts"
import type { ExchangeResult, Transport } from "../http/Transport.ts"
import { type CallError, mayHaveArrived } from "../call/callEnd.ts"
import type { Exchange } from "../call/call.ts"
import * as OutcomeLabel from "./outcomeLabel.ts"
import * as Span from "./Span.ts"

type CallOperation = <A>(operation: Operation<A, unknown>, input: unknown) => Effect.Effect<A, CallError>

/** The observations of a call so far. */
interface CallRecord {
  readonly operation: string
  attempts: number
  generation: number | undefined
  /** The send phase of the last request. */
  phase: string
  status: number | undefined
}

const CallRecord = Context.Reference<CallRecord | undefined>("@effect-custody/core/internal/CallRecord", {
  defaultValue: () => undefined
})

interface RequestEnd {
  readonly outcome: string
  readonly phase: string
  readonly answer: ExchangeResult | undefined
}

/** The label of a request's send phase: answered, possibly arrived, or certainly not sent. */
const phaseLabel = (answer: ExchangeResult | undefined, mayHaveArrived: boolean): string => {
  if (answer !== undefined) return answer._tag === "Answered" ? "Answered" : answer.phase
  return mayHaveArrived ? "MaybeProcessed" : "NotSent"
}

const answerStatus = (answer: ExchangeResult | undefined): number | undefined =>
  answer?._tag === "Answered" ? answer.status : undefined

/** The attributes of the service, by OpenTelemetry's names. */
const serverAttributes = ({ baseUrl }: Environment): Span.Attributes => {
  const { hostname, port, protocol } = new URL(baseUrl)
  return {
    "server.address": hostname,
    "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    "url.scheme": protocol.slice(0, -1)
  }
}

/**
 * Makes the function that sends a request in a span, and counts the request. `resends` is the number of requests that
 * the same call has already sent.
 */
const makeFollow = (environment: Environment, listener: Listener | undefined) => {
  const server = serverAttributes(environment)
  return <A, E>(
    operation: string,
    { method, path }: Route,
    request: HttpClientRequest.HttpClientRequest,
    resends: number,
    send: (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<A, E>,
    describeEnd: (exit: Exit.Exit<A, E>) => RequestEnd
  ): Effect.Effect<A, E> => {
    const describe = (exit: Exit.Exit<A, E>): Span.End => {
      const { answer, outcome, phase } = describeEnd(exit)
      listener?.attemptEnded(operation, outcome)
      const error = answer === undefined ? outcome : OutcomeLabel.errorType(answer)
      const failure = outcome === "succeeded" ? undefined : error
      return {
        attributes: {
          "custody.attempt.outcome": outcome,
          "custody.send_phase": phase,
          "http.response.status_code": answerStatus(answer),
          "error.type": failure
        },
        failure
      }
    }
    const attributes = {
      "http.request.method": method,
      "url.template": path,
      ...server,
      "custody.operation": operation,
      "http.request.resend_count": resends > 0 ? resends : undefined
    }
    const sent = Effect.withFiber((fiber) => {
      const trace = listener?.sendsTraceContext === true ? Span.traceparent(fiber.context) : undefined
      return send(trace === undefined ? request : HttpClientRequest.setHeader(request, "traceparent", trace))
    })
    return Span.follow(sent, `${method} ${path}`, { kind: "client", attributes }, describe)
  }
}

export const followExchange = (
  { environment }: Transport["Service"],
  listener: Listener | undefined,
  exchange: Exchange
): Exchange => {
  const follow = makeFollow(environment, listener)
  return (call, token, request) =>
    Effect.withFiber((fiber) => {
      const seen = fiber.getRef(CallRecord)
      if (seen === undefined) return exchange(call, token, request)
      const { operation } = call.operation
      // The request of a look-up is not an attempt of the call. Its operation differs from the call's operation.
      const own = seen.operation === operation ? seen : undefined
      const resends = own?.attempts ?? 0
      if (own !== undefined) {
        own.attempts++
        own.generation = token?.generation
      }
      return follow(
        operation,
        call.wire.route,
        request,
        resends,
        (traced) => exchange(call, token, traced),
        (exit) => {
          // The value is `undefined` if the deadline has passed.
          const classified = Exit.isSuccess(exit) ? exit.value : undefined
          const answer = classified?.answer
          const phase = phaseLabel(answer, mayHaveArrived(call))
          if (own !== undefined) {
            own.phase = phase
            own.status = answerStatus(answer)
          }
          if (classified !== undefined) return { outcome: OutcomeLabel.ofAttempt(classified), phase, answer }
          const late = phase === "NotSent" ? "not_sent" : "in_doubt"
          return { outcome: Exit.isSuccess(exit) ? late : OutcomeLabel.ofFailedAttempt(exit.cause), phase, answer }
        }
      )
    })
}

/** Makes the function that sends a request for tokens in a span, and counts the request. */
export const authRequest = ({ environment, send }: Transport["Service"], listener: Listener | undefined) => {
  const follow = makeFollow(environment, listener)
  return (
    { operation, route }: Operation<unknown, unknown>,
    request: HttpClientRequest.HttpClientRequest,
    progress: Sender.SendProgress
  ): Effect.Effect<ExchangeResult> =>
    follow(
      operation,
      route,
      request,
      0,
      (traced) => send(traced, undefined, { progress }),
      (exit) => {
        const answer = Exit.isSuccess(exit) ? exit.value : undefined
        const phase = phaseLabel(answer, !Sender.isNotSent(progress))
        const outcome = Exit.isSuccess(exit)
          ? OutcomeLabel.ofAnswer(exit.value)
          : OutcomeLabel.ofFailedAttempt(exit.cause)
        return { outcome, phase, answer }
      }
    )
}

/** Records each call in a span and in the metrics, if there is a tracer or a listener. */
export const followCalls =
  (listener: Listener | undefined, callOperation: CallOperation): CallOperation =>
  (target, input) =>
    Effect.withFiber((fiber) => {
      if (listener === undefined && !Span.isTraced(fiber)) return callOperation(target, input)
      const { operation, provenance, safety } = target
      const clock = fiber.getRef(Clock.Clock)
      const began = clock.monotonicTimeNanosUnsafe()
      const record: CallRecord = { operation, attempts: 0, generation: undefined, phase: "NotSent", status: undefined }
      const describe = (exit: Exit.Exit<unknown, CallError>): Span.End => {
        const { code, outcome, tag } = OutcomeLabel.of(exit)
        listener?.callEnded(operation, outcome, Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9)
        return {
          attributes: {
            "custody.outcome": outcome,
            "custody.attempts": record.attempts,
            "custody.generation": record.generation,
            "custody.send_phase": record.phase,
            "custody.code": code,
            "http.response.status_code": record.status,
            "error.type": tag
          },
          failure: tag
        }
      }
      const attributes = {
        "custody.operation": operation,
        "custody.category": operation.slice(0, operation.indexOf(".")),
        "custody.safety": safety,
        "custody.provenance": provenance
      }
      const recorded = Effect.provideService(callOperation(target, input), CallRecord, record)
      return Span.follow(recorded, `custody.${operation}`, { kind: "internal", attributes }, describe)
    })
