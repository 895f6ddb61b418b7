/**
 * One HTTP exchange with the custody service: a request out, an answer or none back. It decides nothing.
 *
 * Specification: "Request headers", "Environments and base address".
 *
 * @since 0.1.0
 */
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
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Environment from "./Environment.ts"
import * as Durations from "./internal/durations.ts"
import * as SendPhase from "./internal/sendPhase.ts"
import { ConfigurationInvalid, type Phase } from "./SdkError.ts"
import * as SendProgress from "./SendProgress.ts"

/**
 * How one exchange ended. `AttemptOutcome` says what it means.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = Answered | NotAnswered

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
}

/** An answer whose text is not printed, for example by a span that ends with it: the text may be a pair of tokens. */
class Whole implements Answered {
  readonly _tag = "Answered"
  readonly status: number
  readonly retryAfter: Duration.Duration | undefined
  readonly #text: string

  constructor(status: number, text: string, wait: Duration.Duration | undefined) {
    this.status = status
    this.retryAfter = wait
    this.#text = text
  }

  get text(): string {
    return this.#text
  }
}

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
}

/**
 * The header that carries the access token: the raw token, no prefix.
 *
 * @category constants
 * @since 0.1.0
 */
export const accessTokenHeader = "x-access-token"

/** The body grew past the limit. */
class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", { limit: Schema.Int }) {}

/** The whole body as text, if it is no larger than the limit. */
const readText = (response: HttpClientResponse.HttpClientResponse, limit: number) => {
  const announced = Number(response.headers["content-length"])
  // A compressed body is larger than it says.
  if (announced <= limit && response.headers["content-encoding"] === undefined) return response.text
  return response.stream.pipe(
    Stream.runFoldEffect(
      () => ({ size: 0, chunks: [] as Array<Uint8Array> }),
      (read, chunk) => {
        read.chunks.push(chunk)
        read.size += chunk.byteLength
        // Begin to read a body that is too large too: unread, it would keep its connection open.
        return Math.max(read.size, announced || 0) > limit ? Effect.fail(new TooLarge({ limit })) : Effect.succeed(read)
      }
    ),
    Effect.map(({ chunks }) => new TextDecoder().decode(concat(chunks))),
    Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.succeed(""))
  )
}

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

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
     * Sends a request whose URL is relative to the base address, with the token if one is given. Never fails: how it
     * ended is the result.
     */
    readonly send: (
      request: HttpClientRequest.HttpClientRequest,
      accessToken: Option.Option<Redacted.Redacted>
    ) => Effect.Effect<Outcome>
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
    limits
  }: Options): Effect.fn.Return<
    { readonly environment: Environment.Environment; readonly limits: Limits },
    ConfigurationInvalid
  > {
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

        /** No answer. What the transport knows of its progress takes precedence over what the failure looks like. */
        const broken = (
          { stage }: SendProgress.SendProgress,
          failure: { readonly phase: Phase; readonly reason: string }
        ): Outcome => ({
          _tag: "NotAnswered",
          phase: stage === "Unknown" ? failure.phase : stage === "Waiting" ? "NotSent" : "MaybeProcessed",
          reason: failure.reason
        })

        const exchange = Effect.fnUntraced(function* (
          request: HttpClientRequest.HttpClientRequest,
          accessToken: Option.Option<Redacted.Redacted>
        ): Effect.fn.Return<Outcome, HttpClientError.HttpClientError | TooLarge> {
          const response = yield* http.execute(
            HttpClientRequest.prependUrl(
              Option.match(accessToken, {
                onNone: () => request,
                onSome: (token) => HttpClientRequest.setHeader(request, accessTokenHeader, Redacted.value(token))
              }),
              environment.baseUrl
            )
          )
          yield* Effect.annotateCurrentSpan("http.response.status_code", response.status)
          const body = readText(response, limits.maxResponseBytes)
          const text = yield* statusSuffices.has(response.status) ? Effect.orElseSucceed(body, () => "") : body
          return new Whole(response.status, text, retryAfter(response, yield* Clock.currentTimeMillis))
        })

        const send = Effect.fnUntraced(
          function* (request: HttpClientRequest.HttpClientRequest, accessToken: Option.Option<Redacted.Redacted>) {
            const progress = (yield* SendProgress.SendProgress) ?? SendProgress.make()
            return yield* exchange(request, accessToken).pipe(
              Effect.catchTags({
                HttpClientError: (error) => Effect.sync(() => broken(progress, SendPhase.of(error))),
                TooLarge: ({ limit }) =>
                  Effect.sync(() =>
                    broken(progress, {
                      phase: "MaybeProcessed",
                      reason: `the answer is larger than ${limit} bytes`
                    })
                  )
              }),
              Effect.timeoutOrElse({
                duration: limits.attemptTimeout,
                orElse: () =>
                  Effect.sync(() => {
                    const reason = `no answer within ${Duration.format(limits.attemptTimeout)}`
                    return broken(progress, { phase: "MaybeProcessed", reason })
                  })
              }),
              Effect.provideService(SendProgress.SendProgress, progress)
            )
          },
          // The token must not appear in the logs of a client's middleware, nor follow a redirect.
          Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, accessTokenHeader]),
          Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
          // Effect's own span holds the whole request if it fails, and sends the caller's trace to the service. Ours does
          // neither.
          Effect.provideService(HttpClient.TracerDisabledWhen, constTrue),
          (exchange, { method }) =>
            Effect.withSpan(exchange, `http ${method}`, {
              kind: "client",
              attributes: { "http.request.method": method },
              captureStackTrace: false
            })
        )

        return Transport.of({ environment, send })
      })
    )
}

/** Expired, and too many requests: the status says everything, so a body that breaks off does not matter. */
const statusSuffices: ReadonlySet<number> = new Set([429, 498])

const retryAfter = (response: HttpClientResponse.HttpClientResponse, now: number): Duration.Duration | undefined => {
  const header = response.headers["retry-after"]
  if (header === undefined) return undefined
  return Result.match(Headers.parseRetryAfter(header), {
    onFailure: () => undefined,
    onSuccess: (hint) => Headers.retryAfterDelay(hint, now)
  })
}
