/** Sends a request straight through the client's dispatcher: one callback, on the caller's fiber. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Dispatch from "./Dispatch.ts"
import type * as SendProgress from "./SendProgress.ts"
import { answer, brokenOff, type ExchangeResult, tooLarge, unanswered } from "./exchangeResult.ts"
import { plain, type Settings } from "./httpExchange.ts"
import { accessTokenHeader } from "../secrets/SecretRequest.ts"
import * as SendPhase from "./sendPhase.ts"
import { runAfter, socketsRead, type TimeLimit } from "./timeLimit.ts"

/** A base address that is written as it would be after parsing it. */
const plainBase = /^(https?:\/\/[^/?#@\\]+)((?:\/[\w\-.~]+)*)\/?$/

/** A path that is written as it would be after parsing it, if it has no segment of dots. */
const plainPath = /^\/[\w\-.~!$&'()*+,;=:@%/]*$/

/** Turns a request and its token into what is dispatched; `undefined` if only an `HttpClient` can send it. */
const requests = ({ baseUrl, userAgent }: Settings) => {
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

/** Reads how a dispatched request ended. */
const read = (progress: SendProgress.SendProgress, maxBytes: number, ended: Dispatch.Ended) => {
  const { cause, ending, headers, status } = ended
  if (status === 0) return unanswered(progress, SendPhase.ofConnection(cause))
  return ending === "Whole"
    ? answer(status, ended.text(), headers)
    : brokenOff(status, headers, progress, ending === "TooLarge" ? tooLarge(maxBytes) : SendPhase.ofAnswer(cause))
}

/** Dispatches a request and reads its result. After the time limit it is aborted. */
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
    // An answer that arrived in time is read, even if the process was blocked since.
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

/** Sends a request with its token; `undefined` if only an `HttpClient` can send it. */
export const make = (dispatch: Dispatch.Dispatch | undefined, settings: Settings) => {
  if (dispatch === undefined) return undefined
  const requestOf = requests(settings)
  return (
    fiber: Fiber.Fiber<unknown, unknown>,
    request: HttpClientRequest.HttpClientRequest,
    token: Redacted.Redacted,
    progress: SendProgress.SendProgress,
    limit: TimeLimit
  ): Effect.Effect<ExchangeResult> | undefined => {
    const dispatched = requestOf(request, token)
    return dispatched && exchange(fiber, dispatch, dispatched, settings.maxBytes, progress, limit)
  }
}
