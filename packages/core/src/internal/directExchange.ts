/** Sends a request straight through the client's dispatcher: one callback, on the caller's fiber. */
import type { Duration } from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Dispatch from "../Dispatch.ts"
import type * as SendProgress from "../SendProgress.ts"
import { socketsRead } from "./timeLimit.ts"
import * as Timer from "./timer.ts"

/** A base address that is written as it would be after parsing it. */
const plainBase = /^(https?:\/\/[^/?#@\\]+)((?:\/[\w\-.~]+)*)\/?$/

/** A path that is written as it would be after parsing it, if it has no segment of dots. */
const plainPath = /^\/[\w\-.~!$&'()*+,;=:@%/]*$/

/** Turns a request and its token into what is dispatched; `undefined` if only an `HttpClient` can send it. */
export const requests = (
  baseUrl: string,
  options: {
    readonly tokenHeader: string
    /** Headers that no request can change, by name in lower case. */
    readonly always: Readonly<Record<string, string>>
    /** Of requests that have none of their own. */
    readonly userAgent: string | undefined
  }
): ((request: HttpClientRequest.HttpClientRequest, token: Redacted.Redacted) => Dispatch.Request | undefined) => {
  const { always, tokenHeader, userAgent } = options
  const [, origin, base] = plainBase.exec(baseUrl) ?? []
  if (origin === undefined || base === undefined) return () => undefined
  const constant = Object.entries(always).flat()
  const isTaken = (name: string) => name === tokenHeader || always[name] !== undefined
  return ({ body, hash, headers: own, method, url, urlParams }, token) => {
    if (body._tag !== "Empty" && body._tag !== "Uint8Array") return undefined
    if (!plainPath.test(url) || url.includes("/.") || Option.isSome(hash)) return undefined
    const headers = [tokenHeader, Redacted.value(token), ...constant]
    for (const name of Object.keys(own)) {
      if (!isTaken(name)) headers.push(name, own[name]!)
    }
    if (userAgent !== undefined && own["user-agent"] === undefined) headers.push("user-agent", userAgent)
    const query = urlParams.params.length === 0 ? "" : `?${UrlParams.toString(urlParams)}`
    return { origin, path: base + url + query, method, headers, body: body._tag === "Empty" ? null : body.body }
  }
}

/** Sends a request and reads its result. After `limit.after` it is aborted, and the result is `limit.outcome`. */
export const exchange = <A, B>(
  fiber: Fiber.Fiber<unknown, unknown>,
  dispatch: Dispatch.Dispatch,
  request: Dispatch.Request,
  options: {
    readonly progress: SendProgress.SendProgress
    readonly maxBytes: number
    readonly limit: { readonly after: Duration; readonly outcome: Effect.Effect<A> }
    readonly read: (ended: Dispatch.Ended) => Effect.Effect<B>
  }
): Effect.Effect<A | B> => {
  const { limit, maxBytes, progress, read } = options
  return Effect.callback((resume) => {
    let isOver = false
    const end = (result: Effect.Effect<A | B>, first: () => void) => {
      if (isOver) return
      isOver = true
      first()
      resume(result)
    }
    // An answer that arrived in time is read, even if the process was blocked since.
    const late = () =>
      Effect.andThen(
        socketsRead,
        Effect.sync(() => end(limit.outcome, abort))
      )
    const cancel = Timer.after(fiber, limit.after, late)
    let abort = () => {}
    abort = dispatch(request, {
      progress,
      limit: maxBytes,
      onEnd: (ended) => {
        if (!isOver)
          end(
            Effect.suspend(() => read(ended)),
            cancel
          )
      }
    })
    return Effect.sync(() => {
      isOver = true
      cancel()
      abort()
    })
  })
}
