/**
 * What is observed while the SDK runs, without the metrics themselves, so that clients and sessions do not load these:
 *
 * 1. `Listener` receives the reports, if the program has provided `Telemetry.layer`;
 * 2. spans, which do not show the value or the error of their effect, because an answer may hold anything;
 * 3. the labels of calls and attempts;
 * 4. a span for each call, and one for each request by OpenTelemetry's conventions for HTTP clients.
 *
 * @siblings `authentication`, `ledger` and the categories observe what they do in the same way.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { Exchange } from "../call/call.ts"
import { type CallError, mayHaveArrived } from "../call/callEnd.ts"
import type { Route } from "../endpoint/Declaration.ts"
import type { Operation } from "../endpoint/Operation.ts"
import * as ErrorFacts from "../errors/errorFacts.ts"
import { Interrupted } from "../errors/SdkError.ts"
import type { Classification } from "../http/Classification.ts"
import type { Environment } from "../http/Environment.ts"
import type { ExchangeResult, Transport } from "../http/Transport.ts"
import type { SessionStatus } from "../session/TokenService.ts"

// 1. The listener.

/**
 * The end of a call: the label `outcome` of the metrics, and the attribute `custody.outcome` of a span.
 *
 * - `succeeded`;
 * - `refused`: the service refused the call, and did nothing; `throttled`: the service answered 429;
 * - `uncertain`: **the call may have taken effect** (it failed with `OutcomeUnknown`, or was interrupted);
 * - `not_sent`: the call was certainly not sent;
 * - `unanswered`: a read got no answer, or a 5xx, a 408 or a 499; `unreadable`: the SDK cannot decode the answer to a
 *   read;
 * - `no_token`: the session has no token for the call;
 * - `invalid`: the input is wrong; `unconfirmed`: no contract confirms the wire, so the call was not sent;
 * - `interrupted`: the call ended before it could take effect; `defect`: a bug.
 *
 * @since 0.1.0
 * @category models
 */
export type CallOutcome = ErrorFacts.Facts["label"] | "succeeded" | "interrupted" | "defect"

/** The state of a session for the gauges. */
export interface SessionReading {
  readonly state: SessionStatus["state"]
  readonly generation: number | undefined
  /** The time at which the session got its tokens, in milliseconds since 1970. */
  readonly obtainedAt: number | undefined
  readonly isStored: boolean
}

/** The state of a client for the gauges. */
export interface ClientReading {
  /** The number of extra requests that the retry budget still allows. */
  readonly budgetLeft: number
  /** The number of calls that wait for an access token. */
  readonly waiters: number
}

/**
 * Receives the reports of clients and sessions. `Telemetry.layer` provides a listener. A client or a session looks for
 * the listener when it is built.
 *
 * @since 0.1.0
 * @category services
 */
export interface Listener {
  /** `true` if requests carry the trace of their caller (W3C `traceparent`). */
  readonly sendsTraceContext: boolean
  readonly callEnded: (operation: string, outcome: CallOutcome, seconds: number) => void
  readonly attemptEnded: (operation: string, outcome: string) => void
  readonly rotationEnded: (outcome: string, seconds: number) => void
  /** Counts an event. With `times` 0, starts the event's series at zero, so that monitoring sees the first increase. */
  readonly sessionEvent: (tag: string, times?: number) => void
  /** Shows a session or a client in the gauges until the scope closes. Each time a gauge is read, it calls `read`. */
  readonly showSession: (read: () => SessionReading) => Effect.Effect<void, never, Scope.Scope>
  readonly showClient: (read: () => ClientReading) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * The listener to which clients and sessions report.
 *
 * @since 0.1.0
 * @category services
 */
export const Listener = Context.Reference<Listener | undefined>("@effect-custody/core/Listener", {
  defaultValue: () => undefined
})

// 2. Spans.

/**
 * `true` if a span would be exported: the tracer is not Effect's default, which exports nothing, and the surrounding
 * trace is sampled.
 */
export const isTraced = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean =>
  cache.tracer !== undefined &&
  cache.tracer !== Tracer.nativeTracer &&
  cache.tracerEnabled &&
  cache.span?.sampled !== false

type Attributes = Readonly<Record<string, unknown>>

export interface SpanEnd {
  readonly attributes: Attributes
  /** The name of the failure, without data; `undefined` after a success. */
  readonly failure: string | undefined
}

const spanExit = (exit: Exit.Exit<unknown, unknown>, failure: string | undefined): Exit.Exit<void, unknown> => {
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return Exit.interrupt()
  if (failure === undefined) return Exit.void
  // Exporters take the name and the message of an `Error`.
  return Exit.fail(Object.assign(new Error(failure), { name: failure, stack: failure }))
}

/** Drops attributes without a value, because an exporter would write the text "undefined". */
const dropUndefined = (attributes: Attributes): Attributes => Record.filter(attributes, Predicate.isNotUndefined)

/** Runs an effect in a span if one would be exported. Calls `describe` once, at the end of the effect. */
export const followSpan = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  name: string,
  { attributes, kind }: { readonly kind: Tracer.SpanKind; readonly attributes: Attributes },
  describe: (exit: Exit.Exit<A, E>) => SpanEnd
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!isTraced(fiber)) return Effect.onExit(effect, (exit) => Effect.sync(() => describe(exit)))
    return Effect.flatMap(Effect.makeSpan(name, { kind, attributes: dropUndefined(attributes) }), (span) => {
      const clock = fiber.getRef(Clock.Clock)
      const isTimed = fiber.getRef(References.TracerTimingEnabled)
      return Effect.onExit(Effect.provideService(effect, Tracer.ParentSpan, span), (exit) =>
        Effect.sync(() => {
          const end = describe(exit)
          for (const [key, value] of Object.entries(dropUndefined(end.attributes))) span.attribute(key, value)
          span.end(isTimed ? clock.currentTimeNanosUnsafe() : 0n, spanExit(exit, end.failure))
        })
      )
    })
  })

/** Runs several calls in one span. The span shows only the tag of an error. */
export const around =
  (name: string, attributes: Attributes = {}) =>
  <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    followSpan(effect, name, { kind: "internal", attributes }, (exit) => {
      const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
      const failure = Exit.isSuccess(exit) ? undefined : (error?._tag ?? "defect")
      return { attributes: { "error.type": failure }, failure }
    })

/** The W3C `traceparent` header of the surrounding span, if any. */
export const traceparent = (context: Context.Context<never>): string | undefined =>
  Option.match(Context.getOption(context, Tracer.ParentSpan), {
    onNone: () => undefined,
    onSome: ({ sampled, spanId, traceId }) => `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`
  })

// 3. The labels of calls and attempts.

interface CallLabel {
  readonly outcome: CallOutcome
  readonly tag?: string
  /** The code in the service's answer, if it has the form of a code. */
  readonly code?: string | undefined
}

/** Reads the code of an error, unless it is prose, because a span must not show an answer's text. */
const readCode = (error: CallError): string | undefined => {
  const code = "code" in error ? error.code : undefined
  return code !== undefined && /^\w[\w.-]{0,31}$/.test(code) ? code : undefined
}

export const labelCall = (exit: Exit.Exit<unknown, CallError>): CallLabel => {
  if (Exit.isSuccess(exit)) return { outcome: "succeeded" }
  const failed = Cause.findError(exit.cause)
  if (Result.isSuccess(failed)) {
    const error = failed.success
    return { outcome: ErrorFacts.ofKnown(error).label, tag: error._tag, code: readCode(error) }
  }
  if (Cause.hasDies(exit.cause)) return { outcome: "defect", tag: "Defect" }
  const isUncertain = Option.isSome(Context.getOption(Cause.annotations(exit.cause), Interrupted))
  return isUncertain ? { outcome: "uncertain", tag: "Interrupted" } : { outcome: "interrupted" }
}

/** What is known at the end of a request. */
interface RequestEnd {
  /** What the answer means; `undefined` if none came before the deadline or an interruption. */
  readonly outcome: { readonly _tag: Classification<unknown>["_tag"] } | undefined
  readonly answer: ExchangeResult | undefined
  readonly mayHaveArrived: boolean
}

/** The label of a request's send phase: answered, possibly arrived, or certainly not sent. */
const labelPhase = ({ answer, mayHaveArrived }: RequestEnd): string => {
  if (answer !== undefined) return answer._tag === "Answered" ? "Answered" : answer.phase
  return mayHaveArrived ? "MaybeProcessed" : "NotSent"
}

/** Labels the outcome of an attempt: its tag in snake case, or how the attempt ended without one. */
const labelAttempt = ({ outcome }: RequestEnd, phase: string, exit: Exit.Exit<unknown, unknown>): string => {
  if (outcome !== undefined) return outcome._tag.replace(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
  if (Exit.isSuccess(exit)) return phase === "NotSent" ? "not_sent" : "in_doubt"
  // It fails if its upload cannot be sent again.
  return Cause.hasFails(exit.cause) ? "not_sent" : Cause.hasDies(exit.cause) ? "defect" : "interrupted"
}

/** The attribute `error.type`: a status, the code of a system error, `timeout` or `_OTHER`. */
const errorType = (answer: ExchangeResult): string => {
  if (answer._tag === "Answered") return String(answer.status)
  if (/^[A-Z][A-Z\d_]{1,63}$/.test(answer.reason)) return answer.reason
  return answer.isTimeout === true ? "timeout" : "_OTHER"
}

// 4. Calls and requests.

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

const answerStatus = (answer: ExchangeResult | undefined): number | undefined =>
  answer?._tag === "Answered" ? answer.status : undefined

/** The attributes of the service, by OpenTelemetry's names. */
const serverAttributes = ({ baseUrl }: Environment): Attributes => {
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
export const followRequests = (environment: Environment, listener: Listener | undefined) => {
  const server = serverAttributes(environment)
  return <A, E>(
    operation: string,
    { method, path }: Route,
    request: HttpClientRequest.HttpClientRequest,
    resends: number,
    send: (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<A, E>,
    describeEnd: (exit: Exit.Exit<A, E>) => RequestEnd
  ): Effect.Effect<A, E> => {
    const describe = (exit: Exit.Exit<A, E>): SpanEnd => {
      const end = describeEnd(exit)
      const { answer } = end
      const phase = labelPhase(end)
      const outcome = labelAttempt(end, phase, exit)
      listener?.attemptEnded(operation, outcome)
      const error = answer === undefined ? outcome : errorType(answer)
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
      const trace = listener?.sendsTraceContext === true ? traceparent(fiber.context) : undefined
      return send(trace === undefined ? request : HttpClientRequest.setHeader(request, "traceparent", trace))
    })
    return followSpan(sent, `${method} ${path}`, { kind: "client", attributes }, describe)
  }
}

export const followExchange = (
  { environment }: Transport["Service"],
  listener: Listener | undefined,
  exchange: Exchange
): Exchange => {
  const follow = followRequests(environment, listener)
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
          const outcome = Exit.isSuccess(exit) ? exit.value : undefined
          const end = { outcome, answer: outcome?.answer, mayHaveArrived: mayHaveArrived(call) }
          if (own !== undefined) {
            own.phase = labelPhase(end)
            own.status = answerStatus(end.answer)
          }
          return end
        }
      )
    })
}

/** Records each call in a span and in the metrics, if there is a tracer or a listener. */
export const followCalls =
  (listener: Listener | undefined, callOperation: CallOperation): CallOperation =>
  (target, input) =>
    Effect.withFiber((fiber) => {
      if (listener === undefined && !isTraced(fiber)) return callOperation(target, input)
      const { operation, provenance, safety } = target
      const clock = fiber.getRef(Clock.Clock)
      const began = clock.monotonicTimeNanosUnsafe()
      const record: CallRecord = { operation, attempts: 0, generation: undefined, phase: "NotSent", status: undefined }
      const describe = (exit: Exit.Exit<unknown, CallError>): SpanEnd => {
        const { code, outcome, tag } = labelCall(exit)
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
      return followSpan(recorded, `custody.${operation}`, { kind: "internal", attributes }, describe)
    })
