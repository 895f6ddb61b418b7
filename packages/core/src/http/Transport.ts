/** One HTTP exchange with the custody service: a request, and an answer or none. `Classification` interprets it. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Defect from "../errors/Defect.ts"
import { ConfigurationInvalid } from "../errors/SdkError.ts"
import { accessTokenHeader, isSendable } from "../secrets/SecretRequest.ts"
import { isHeaderValue } from "../values/Text.ts"
import * as Dispatch from "./Dispatch.ts"
import * as Environment from "./Environment.ts"
import {
  answer,
  brokenOff,
  type ExchangeResult,
  inDoubt,
  type NotAnswered,
  tooLarge,
  unanswered
} from "./exchangeResult.ts"
import * as HttpExchange from "./httpExchange.ts"
import { plain, type Settings } from "./httpExchange.ts"
import * as SendPhase from "./sendPhase.ts"
import type * as SendProgress from "./SendProgress.ts"
import { runAfter, socketsRead, type TimeLimit } from "./timeLimit.ts"

export { type Answered, type ExchangeResult, type NotAnswered, partial } from "./exchangeResult.ts"
export { fetchOnce } from "./fetchOnce.ts"
export { afterFreeze, limitPassed } from "./timeLimit.ts"

/** The bounds of one exchange. */
export interface Limits {
  readonly attemptTimeout: Duration.Duration
  readonly maxResponseBytes: number
}

/** The options of {@link Limits}. */
export interface LimitOptions {
  /** The maximum duration of one attempt. Default: 30 seconds. */
  readonly attemptTimeout?: Duration.Input | undefined
  /** The maximum size of a body, in bytes. Default: 10 MiB. */
  readonly maxResponseBytes?: number | undefined
}

interface Options {
  readonly environment: Environment.Environment
  readonly limits?: LimitOptions | undefined
  /** The `User-Agent` of every request. Default: none. */
  readonly userAgent?: string | undefined
}

/** Matches a base address that URL parsing would not change. */
const plainBase = /^(https?:\/\/[^/?#@\\]+)((?:\/[\w\-.~]+)*)\/?$/

/**
 * Matches paths that URL parsing would not change, and paths with `.` or `..` segments, which parsing does change:
 * check for these separately.
 */
const plainPath = /^\/[\w\-.~!$&'()*+,;=:@%/]*$/

/**
 * Makes the function that turns a request and its token into a request for `Dispatch`. The function returns `undefined`
 * if only an `HttpClient` can send the request.
 */
const requestBuilder = ({ baseUrl, userAgent }: Settings) => {
  const [, origin, base] = plainBase.exec(baseUrl) ?? []
  const plainHeaders = Object.entries(plain).flat()
  const agent = userAgent === undefined ? [] : ["user-agent", userAgent]
  return (
    { body, hash, headers: own, method, url, urlParams }: HttpClientRequest.HttpClientRequest,
    token: Redacted.Redacted
  ): Dispatch.Request | undefined => {
    if (origin === undefined || base === undefined) return undefined
    if (body._tag !== "Empty" && body._tag !== "Uint8Array") return undefined
    if (!plainPath.test(url) || url.includes("/.") || Option.isSome(hash)) return undefined
    const headers = [accessTokenHeader, Redacted.value(token), ...plainHeaders]
    if (own["user-agent"] === undefined) headers.push(...agent)
    for (const name of Object.keys(own)) {
      if (name !== accessTokenHeader && !Object.hasOwn(plain, name)) headers.push(name, own[name]!)
    }
    const query = urlParams.params.length === 0 ? "" : `?${UrlParams.toString(urlParams)}`
    return { origin, path: base + url + query, method, headers, body: body._tag === "Empty" ? null : body.body }
  }
}

const toSent = ({ body, headers, method, origin, path }: Dispatch.Request): SendProgress.SentRequest => ({
  method,
  url: origin + path,
  headers: Object.fromEntries(Arr.chunksOf(headers, 2) as Iterable<[string, string]>),
  body: body ?? undefined
})

/** Reads the end of a dispatched request. */
const read = (progress: SendProgress.SendProgress, maxBytes: number, ended: Dispatch.Ended) => {
  const { cause, ending, headers, status } = ended
  if (status === 0) return unanswered(progress, SendPhase.ofConnection(cause))
  return ending === "Whole"
    ? answer(status, ended.text(), headers)
    : brokenOff(status, headers, progress, ending === "TooLarge" ? tooLarge(maxBytes) : SendPhase.ofAnswer(cause))
}

/** Dispatches a request and reads its result. Aborts the request after the time limit. */
const exchange = (
  fiber: Fiber.Fiber<unknown, unknown>,
  dispatch: Dispatch.Dispatch,
  request: Dispatch.Request,
  maxBytes: number,
  progress: SendProgress.SendProgress,
  limit: TimeLimit
): Effect.Effect<ExchangeResult> =>
  Effect.callback((resume) => {
    let isOver = false
    let abort = () => {}
    const end = (first: () => void, result: Effect.Effect<ExchangeResult>) => {
      if (isOver) return
      isOver = true
      first()
      resume(result)
    }
    const late = Effect.sync(() => end(abort, limit.result))
    // The sockets are read first, because an answer may have arrived in time while the process was blocked.
    const cancel = runAfter(fiber, limit.after, () => Effect.andThen(socketsRead, late))
    const onEnd = (ended: Dispatch.Ended) =>
      end(
        cancel,
        Effect.suspend(() => read(progress, maxBytes, ended))
      )
    abort = dispatch(request, { progress, limit: maxBytes, onEnd })
    return Effect.sync(() => {
      isOver = true
      cancel()
      abort()
    })
  })

/** Sends a request straight through the dispatch function; `undefined` if only an `HttpClient` can send it. */
const makeDirect = (dispatch: Dispatch.Dispatch | undefined, settings: Settings) => {
  if (dispatch === undefined) return undefined
  const buildRequest = requestBuilder(settings)
  return (
    fiber: Fiber.Fiber<unknown, unknown>,
    request: HttpClientRequest.HttpClientRequest,
    token: Redacted.Redacted,
    progress: SendProgress.SendProgress,
    limit: TimeLimit
  ): Effect.Effect<ExchangeResult> | undefined => {
    const dispatched = buildRequest(request, token)
    if (dispatched === undefined) return undefined
    progress.onRequest?.(toSent(dispatched))
    return exchange(fiber, dispatch, dispatched, settings.maxBytes, progress, limit)
  }
}

/** The reason if the `HttpClient` or a middleware throws. The request may have been sent. */
const foreignDefect = "the HttpClient failed with a defect"

const reason = "no header can carry the access token"
const unsendable: NotAnswered = { _tag: "NotAnswered", phase: "NotSent", reason }

/** Sends requests to the service of one environment. A test may provide its own transport. */
export class Transport extends Context.Service<
  Transport,
  {
    readonly environment: Environment.Environment
    /**
     * Sends a request whose URL is relative to the base address, and reports to `progress`. `deadline` is the time that
     * the call has left; after that time, the result has `isLate`. Never fails: a failure is part of the result.
     */
    readonly send: (
      request: HttpClientRequest.HttpClientRequest,
      accessToken: Redacted.Redacted | undefined,
      options: { readonly progress: SendProgress.SendProgress; readonly deadline?: Duration.Duration | undefined }
    ) => Effect.Effect<ExchangeResult>
  }
>()("@effect-custody/core/Transport") {
  /** Checks the options, and adds their defaults. */
  static readonly validate = Effect.fnUntraced(function* ({
    environment,
    limits = {},
    userAgent
  }: Options): Effect.fn.Return<
    { readonly environment: Environment.Environment; readonly limits: Limits },
    ConfigurationInvalid
  > {
    const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
    if (userAgent !== undefined && !isHeaderValue(userAgent)) {
      return yield* invalid("userAgent", "no header can carry it")
    }
    const { attemptTimeout: timeout = "30 seconds", maxResponseBytes = 10 * 1024 * 1024 } = limits
    const attemptTimeout = Option.getOrUndefined(Duration.fromInput(timeout))
    if (attemptTimeout === undefined || !Duration.isPositive(attemptTimeout)) {
      return yield* invalid("limits.attemptTimeout", "must be a positive duration")
    }
    if (!Number.isSafeInteger(maxResponseBytes) || maxResponseBytes < 1) {
      return yield* invalid("limits.maxResponseBytes", "must be a positive integer")
    }
    return {
      environment: yield* Effect.fromResult(Environment.validate(environment)),
      limits: { attemptTimeout, maxResponseBytes }
    }
  })

  /** The transport of an environment, over the provided `HttpClient`. */
  static readonly layer = (options: Options): Layer.Layer<Transport, ConfigurationInvalid, HttpClient.HttpClient> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const { environment, limits } = yield* Transport.validate(options)
        const http = yield* HttpClient.HttpClient
        const { baseUrl } = environment
        const settings = { baseUrl, maxBytes: limits.maxResponseBytes, userAgent: options.userAgent }
        const overHttp = HttpExchange.make(http, settings)
        const direct = makeDirect(Dispatch.of(http), settings)
        const tooSlow = { ...inDoubt(`no answer within ${Duration.format(limits.attemptTimeout)}`), isTimeout: true }
        const tooLate = { ...inDoubt("the deadline of the call has passed"), isLate: true }
        return Transport.of({
          environment,
          send: (request, accessToken, { deadline, progress }) =>
            Effect.withFiber((fiber) => {
              if (accessToken !== undefined && !isSendable(accessToken)) return Effect.succeed(unsendable)
              const limit: TimeLimit =
                deadline !== undefined && Duration.isLessThanOrEqualTo(deadline, limits.attemptTimeout)
                  ? { after: deadline, result: unanswered(progress, tooLate) }
                  : { after: limits.attemptTimeout, result: unanswered(progress, tooSlow) }
              const sent =
                accessToken === undefined ? undefined : direct?.(fiber, request, accessToken, progress, limit)
              return sent ?? overHttp(request, accessToken, progress, limit)
            }).pipe(
              Effect.catchCauseIf(Cause.hasDies, (cause) =>
                Effect.andThen(Defect.report(foreignDefect, cause), unanswered(progress, inDoubt(foreignDefect)))
              )
            )
        })
      })
    )
}
