/**
 * One HTTP exchange with the custody service: a request, and an answer or none. It decides nothing.
 *
 * Specification: "Request headers", "Environments and base address".
 *
 * @since 0.1.0
 */
import * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Defect from "./Defect.ts"
import * as Dispatch from "./Dispatch.ts"
import * as Environment from "./Environment.ts"
import * as AnswerBody from "./internal/answerBody.ts"
import * as Direct from "./internal/directExchange.ts"
import * as Durations from "./internal/durations.ts"
import { isHeaderValue } from "./internal/requestHeaders.ts"
import * as SecretRequest from "./internal/secretRequest.ts"
import * as SendPhase from "./internal/sendPhase.ts"
import { limitPassed, socketsRead } from "./internal/timeLimit.ts"
import { ConfigurationInvalid, type Phase } from "./SdkError.ts"
import * as SendProgress from "./SendProgress.ts"
import { isSendable } from "./TokenService.ts"
import * as ServiceClock from "./ServiceClock.ts"

/**
 * How one exchange ended. `Classification` says what it means.
 *
 * @category models
 * @since 0.1.0
 */
export type ExchangeResult = Answered | NotAnswered

/**
 * The service answered, and the whole answer arrived.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  readonly text: string
  /** How long the service asked to wait before the next try. */
  readonly retryAfter: Duration.Duration | undefined
  /** The headers of the answer, by name in lower case. */
  readonly headers?: SendProgress.Received["headers"] | undefined
}

/** An answer whose text and headers are not printed, for example by a span that ends with it: they may hold secrets. */
class Hidden implements Answered {
  readonly _tag = "Answered"
  readonly status: number
  readonly retryAfter: Duration.Duration | undefined
  readonly #text: () => string
  readonly #headers: SendProgress.Received["headers"]

  constructor(
    status: number,
    text: () => string,
    headers: SendProgress.Received["headers"],
    wait: Duration.Duration | undefined
  ) {
    this.status = status
    this.retryAfter = wait
    this.#text = text
    this.#headers = headers
  }

  get headers(): SendProgress.Received["headers"] {
    return this.#headers
  }

  get text(): string {
    return this.#text()
  }
}

/**
 * What has arrived of an answer that is not whole. It does not print its text.
 *
 * @category constructors
 * @since 0.1.0
 */
export const partial = (received: SendProgress.Received, retryAfter?: Duration.Duration): Answered =>
  new Hidden(received.status, () => received.text(), received.headers, retryAfter)

/**
 * No whole answer arrived.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotAnswered {
  readonly _tag: "NotAnswered"
  readonly phase: Phase
  readonly reason: string
  /**
   * An answer that is not whole: it broke off, is too large, or did not end in time. Its text is what has arrived. It
   * proves nothing about a call, but the answer to a one-time secret may hold new tokens.
   */
  readonly partial?: Answered | undefined
}

/**
 * Bounds on one exchange.
 *
 * @category models
 * @since 0.1.0
 */
export const Limits = Schema.Struct({
  /** How long one attempt may take. Default: 30 seconds. */
  attemptTimeout: Durations.Bound,
  /** The largest body that is read, in bytes. Default: 10 MiB. */
  maxResponseBytes: Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))
})

/**
 * Bounds on one exchange.
 *
 * @category models
 * @since 0.1.0
 */
export type Limits = typeof Limits.Type

const defaults: Limits = { attemptTimeout: Duration.seconds(30), maxResponseBytes: 10 * 1024 * 1024 }

const decodeLimits = Schema.decodeEffect(Schema.toType(Limits))

/**
 * Which service to reach, and within which bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly environment: Environment.Environment
  readonly limits?: Partial<Limits> | undefined
  /** The `User-Agent` of every request. Default: none is set. */
  readonly userAgent?: string | undefined
}

/**
 * The header that carries the access token: the raw token, no prefix.
 *
 * @category constants
 * @since 0.1.0
 */
export const accessTokenHeader = "x-access-token"

/**
 * Sends requests to the service of one environment. A test may provide another.
 *
 * @category services
 * @since 0.1.0
 */
export class Transport extends Context.Service<
  Transport,
  {
    readonly environment: Environment.Environment
    /**
     * Sends a request whose URL is relative to the base address, with the token if one is given. Never fails: a failure
     * is part of the result.
     */
    readonly send: (
      request: HttpClientRequest.HttpClientRequest,
      accessToken: Option.Option<Redacted.Redacted>
    ) => Effect.Effect<ExchangeResult>
    /**
     * Sends a request as `send` does, reports to `progress`, and ends when the deadline of the call passes: then the
     * result is `undefined`. A transport without it costs a fiber for each attempt.
     */
    readonly sendWithin?: (
      request: HttpClientRequest.HttpClientRequest,
      accessToken: Redacted.Redacted,
      options: { readonly progress: SendProgress.SendProgress; readonly deadline: Duration.Duration }
    ) => Effect.Effect<ExchangeResult | undefined>
  }
>()("@effect-custody/core/Transport") {
  /**
   * The options with their defaults, or what is wrong with them.
   *
   * @category validation
   * @since 0.1.0
   */
  static readonly validate = Effect.fnUntraced(function* ({
    environment,
    limits,
    userAgent
  }: Options): Effect.fn.Return<
    { readonly environment: Environment.Environment; readonly limits: Limits },
    ConfigurationInvalid
  > {
    if (userAgent !== undefined && !isHeaderValue(userAgent)) {
      return yield* new ConfigurationInvalid({ option: "userAgent", reason: "no header can carry it" })
    }
    return {
      environment: yield* Effect.fromResult(Environment.validate(environment)),
      limits: yield* Effect.mapError(
        decodeLimits({ ...defaults, ...limits }),
        (error) => new ConfigurationInvalid({ option: "limits", reason: error.message })
      )
    }
  })

  /**
   * The transport of an environment, over the `HttpClient` that is provided.
   *
   * @category layers
   * @since 0.1.0
   */
  static readonly layer = (options: Options): Layer.Layer<Transport, ConfigurationInvalid, HttpClient.HttpClient> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const { environment, limits } = yield* Transport.validate(options)
        const http = yield* HttpClient.HttpClient

        const tooLarge = `the answer is larger than ${limits.maxResponseBytes} bytes`
        const tooLate = `no answer within ${Duration.format(limits.attemptTimeout)}`
        const inContext = contextFor(limits)
        const always = options.userAgent === undefined ? plain : { ...plain, "user-agent": options.userAgent }

        const answered = (
          response: HttpClientResponse.HttpClientResponse,
          progress: SendProgress.SendProgress,
          keeps: boolean
        ): Effect.Effect<ExchangeResult> => {
          const { received } = progress
          if (received?.response === response && received.ending === "Whole") {
            return answer(response.status, received.text(), received.headers)
          }
          const { headers, status } = response
          return Effect.matchEffect(AnswerBody.read(response, { limit: limits.maxResponseBytes, progress, keeps }), {
            onSuccess: (text): Effect.Effect<ExchangeResult> => answer(status, text, headers),
            onFailure: (error): Effect.Effect<ExchangeResult> => {
              if (statusSuffices.has(status)) return answer(status, "", headers)
              return error._tag === "TooLarge"
                ? unanswered(progress, inDoubt(tooLarge))
                : unanswered(progress, SendPhase.of(error))
            }
          })
        }

        const dispatch = Dispatch.of(http)
        const directly = Direct.requests(environment.baseUrl, {
          tokenHeader: accessTokenHeader,
          always: plain,
          userAgent: options.userAgent
        })

        const ended = (progress: SendProgress.SendProgress) => (received: Dispatch.Ended) => {
          const { cause, ending, headers, status } = received
          if (status === 0) return unanswered(progress, SendPhase.ofConnection(cause))
          if (ending === "Whole") return ServiceClock.observing(received, answer(status, received.text(), headers))
          if (statusSuffices.has(status)) return ServiceClock.observing(received, answer(status, "", headers))
          const failure = ending === "TooLarge" ? inDoubt(tooLarge) : SendPhase.ofAnswer(cause)
          return ServiceClock.observing(received, unanswered(progress, failure))
        }

        const exchange = <A>(
          request: Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError>,
          progress: SendProgress.SendProgress,
          keeps: boolean,
          limit: TimeLimit<A>
        ): Effect.Effect<ExchangeResult | A> =>
          http.postprocess(request).pipe(
            Effect.matchEffect({
              onSuccess: (response) => ServiceClock.observing(response, answered(response, progress, keeps)),
              onFailure: (error) => unanswered(progress, SendPhase.of(error))
            }),
            // A timeout would interrupt the exchange before the sockets are read.
            Effect.raceFirst(
              Effect.andThen(
                keeps ? limitPassed(limit.after) : Effect.andThen(Effect.sleep(limit.after), socketsRead),
                limit.outcome
              )
            ),
            inContext(progress)
          )

        const sending = <A>(
          request: HttpClientRequest.HttpClientRequest,
          accessToken: Option.Option<Redacted.Redacted>,
          progress: SendProgress.SendProgress,
          limit: TimeLimit<A>
        ): Effect.Effect<ExchangeResult | A> =>
          Effect.withFiber((fiber) => {
            // Without an access token, what is sent is a one-time secret: what arrives may be the only copy of new tokens.
            const keeps = Option.isNone(accessToken)
            if (!keeps && !isSendable(accessToken.value)) {
              return Effect.succeed<ExchangeResult>({ _tag: "NotAnswered", phase: "NotSent", reason: unsendable })
            }
            const direct = keeps || dispatch === undefined ? undefined : directly(request, accessToken.value)
            if (dispatch !== undefined && direct !== undefined) {
              const { maxResponseBytes: maxBytes } = limits
              return Direct.exchange(fiber, dispatch, direct, { progress, maxBytes, limit, read: ended(progress) })
            }
            const complete = HttpClientRequest.prependUrl(
              // A call may bring a user agent of its own.
              HttpClientRequest.setHeaders(request, "user-agent" in request.headers ? plain : always),
              environment.baseUrl
            )
            const prepared = http.preprocess(complete)
            // After the middleware of the client, so that a request log does not have the token.
            const authorized = keeps ? prepared : Effect.map(prepared, (ready) => authorize(ready, accessToken.value))
            return exchange(authorized, progress, keeps, limit)
          })

        const sent = <A>(
          request: HttpClientRequest.HttpClientRequest,
          accessToken: Option.Option<Redacted.Redacted>,
          progress: SendProgress.SendProgress,
          limit: TimeLimit<A>
        ): Effect.Effect<ExchangeResult | A> =>
          Effect.catchCauseIf(sending(request, accessToken, progress, limit), Cause.hasDies, (cause) =>
            Effect.andThen(Defect.report(foreignDefect, cause), unanswered(progress, inDoubt(foreignDefect)))
          )

        const attemptLimit = (progress: SendProgress.SendProgress): TimeLimit<ExchangeResult> => ({
          after: limits.attemptTimeout,
          outcome: unanswered(progress, inDoubt(tooLate))
        })

        return Transport.of({
          environment,
          send: (request, accessToken) =>
            Effect.withFiber((fiber) => {
              const progress = fiber.getRef(SendProgress.SendProgress) ?? SendProgress.make()
              return sent(request, accessToken, progress, attemptLimit(progress))
            }),
          sendWithin: (request, accessToken, { deadline, progress }) =>
            sent<ExchangeResult | undefined>(
              request,
              Option.some(accessToken),
              progress,
              Duration.isLessThanOrEqualTo(deadline, limits.attemptTimeout)
                ? { after: deadline, outcome: Effect.undefined }
                : attemptLimit(progress)
            )
        })
      })
    )
}

/** How long an exchange may take, and what its result is when that time has passed. */
interface TimeLimit<A> {
  readonly after: Duration.Duration
  readonly outcome: Effect.Effect<A>
}

/** The `HttpClient`, or a middleware of it, throws. The request may be on its way. */
const foreignDefect = "the HttpClient failed with a defect"

const inDoubt = (reason: string) => ({ phase: "MaybeProcessed" as const, reason })

const unsendable = "no header can carry the access token"

const authorize = SecretRequest.authorize(accessTokenHeader)

/** Expired, and too many requests: the status is enough, so a body that breaks off does not matter. */
const statusSuffices: ReadonlySet<number> = new Set([429, 498])

/** No compression is requested: an uncompressed body can be read as far as it has arrived. */
const plain = { "accept-encoding": "identity" }

/** No whole answer. What the transport knows of its progress takes precedence over what the failure looks like. */
const unanswered = (
  progress: SendProgress.SendProgress,
  failure: { readonly phase: Phase; readonly reason: string }
): Effect.Effect<ExchangeResult> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { received, stage } = progress
    const phase = stage === "Unknown" ? failure.phase : stage === "Waiting" ? "NotSent" : "MaybeProcessed"
    const notAnswered: NotAnswered = { _tag: "NotAnswered", phase, reason: failure.reason }
    if (received === undefined) return notAnswered
    const wait = received.headers["retry-after"]
    const asked = wait === undefined ? undefined : retryAfter(String(wait), now)
    return { ...notAnswered, partial: partial(received, asked) }
  })

const answer = (status: number, text: string, headers: SendProgress.Received["headers"]): Effect.Effect<Answered> => {
  const wait = headers["retry-after"]
  return wait === undefined
    ? Effect.succeed(new Hidden(status, () => text, headers, undefined))
    : Effect.map(
        Clock.currentTimeMillis,
        (now) => new Hidden(status, () => text, headers, retryAfter(String(wait), now))
      )
}

const retryAfter = (header: string, now: number): Duration.Duration | undefined =>
  Result.match(Headers.parseRetryAfter(header), {
    onFailure: () => undefined,
    onSuccess: (hint) => Headers.retryAfterDelay(hint, now)
  })

/** The settings of an exchange, added to the context of its caller at once. */
const contextFor = ({ maxResponseBytes }: Limits) => {
  const constant = Context.empty().pipe(
    Context.add(FetchHttpClient.RequestInit, { redirect: "manual" }),
    // Effect's own span holds the whole request if it fails, and sends the caller's trace to the service. Ours does
    // neither.
    Context.add(HttpClient.TracerDisabledWhen, constTrue),
    Context.add(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxResponseBytes))
  )
  return (progress: SendProgress.SendProgress) =>
    <A, E, R>(exchange: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.updateContext(exchange, (context: Context.Context<R>) =>
        Context.merge(context, constant).pipe(
          // The token must not appear in the logs of a client's middleware, nor follow a redirect.
          Context.add(Headers.CurrentRedactedNames, [
            ...Context.get(context, Headers.CurrentRedactedNames),
            accessTokenHeader
          ]),
          Context.add(SendProgress.SendProgress, progress)
        )
      )
}
