/** A request on its way to a connection. */
import { accessTokenHeader } from "@effect-custody/core/siblings/Secrets"
import type * as Sender from "@effect-custody/core/siblings/Sender"
import * as NodeStream from "@effect/platform-node/NodeStream"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Url from "effect/http/Url"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Readable } from "node:stream"

type Request = HttpClientRequest.HttpClientRequest

/**
 * The kinds of requests. A request never waits for a request of another kind. `tokens` are requests to the
 * authentication endpoints.
 */
export type Kind = "reads" | "writes" | "tokens"

export interface Outgoing {
  readonly kind: Kind
  /** Scheme, host and port. */
  readonly origin: string
  /** The path with its query. */
  readonly path: string
  readonly method: Request["method"]
  /** Names and values alternate. */
  readonly headers: Array<string>
  readonly body: Uint8Array | Readable | null
}

/** Converts a body. Adds the content type of a form, because its boundary is made here. */
const toBody = (body: HttpBody.HttpBody, headers: Array<string>, context: Context.Context<never>): Outgoing["body"] => {
  switch (body._tag) {
    case "Empty":
      return null
    case "Uint8Array":
      return body.body
    case "Raw":
      return body.body as Uint8Array
    case "FormData": {
      const encoded = new Response(body.formData)
      headers.push("content-type", encoded.headers.get("content-type")!)
      return Readable.fromWeb(encoded.body! as Parameters<typeof Readable.fromWeb>[0])
    }
    case "Stream":
      return Effect.runSyncWith(context)(NodeStream.toReadable(body.stream))
  }
}

type Target = Pick<Outgoing, "origin" | "path">

const locate = (request: Request): Target | HttpClientError.HttpClientError => {
  const target = Url.make(request.url, request.urlParams, Option.getOrUndefined(request.hash))
  if (Result.isFailure(target)) {
    const reason = new HttpClientError.InvalidUrlError({ request, cause: target.failure })
    return new HttpClientError.HttpClientError({ reason })
  }
  const { origin, pathname, search } = target.success
  return { origin, path: pathname + search }
}

const finish = (
  { body, method }: Request,
  target: Target | HttpClientError.HttpClientError,
  hasToken: boolean,
  headers: Array<string>,
  context: Context.Context<never>
): Outgoing | HttpClientError.HttpClientError => {
  if (target instanceof HttpClientError.HttpClientError) return target
  const kind = hasToken ? (method === "GET" ? "reads" : "writes") : "tokens"
  return { kind, origin: target.origin, path: target.path, method, headers, body: toBody(body, headers, context) }
}

/** Asks for no compression, so that an incomplete body can be read. */
const plain = ["accept-encoding", "identity"]

/** Converts a request with a whole URL. Without an access token, it is for an authentication endpoint. */
export const ofRequest = (request: Request, context: Context.Context<never>) => {
  const headers = Object.entries(request.headers).flat()
  if (request.headers["accept-encoding"] === undefined) headers.push(...plain)
  return finish(request, locate(request), Object.hasOwn(request.headers, accessTokenHeader), headers, context)
}

/** Matches a base address that URL parsing would not change. */
const plainBase = /^(https?:\/\/[^/?#@\\]+)((?:\/[\w\-.~]+)*)\/?$/

/**
 * Matches paths that URL parsing would not change, and paths with `.` or `..` segments, which parsing does change:
 * check for these separately.
 */
const plainPath = /^\/[\w\-.~!$&'()*+,;=:@%/]*$/

/** Makes the function that converts the requests of a transport, whose URLs are relative to its base address. */
export const relativeTo = ({ baseUrl, userAgent }: Sender.Settings) => {
  const [, origin, base] = plainBase.exec(baseUrl) ?? []
  /** Parses only the addresses that parsing would change. */
  const locateIn = (request: Request) => {
    const { hash, url, urlParams } = request
    if (origin === undefined || !plainPath.test(url) || url.includes("/.") || Option.isSome(hash)) {
      return locate(HttpClientRequest.prependUrl(request, baseUrl))
    }
    const query = urlParams.params.length === 0 ? "" : `?${UrlParams.toString(urlParams)}`
    return { origin, path: base + url + query }
  }
  return (request: Request, token: Redacted.Redacted | undefined, context: Context.Context<never>) => {
    const { headers: own } = request
    const headers = token === undefined ? [...plain] : [accessTokenHeader, Redacted.value(token), ...plain]
    if (userAgent !== undefined && own["user-agent"] === undefined) headers.push("user-agent", userAgent)
    for (const name of Object.keys(own)) {
      if (name !== accessTokenHeader && name !== "accept-encoding") headers.push(name, own[name]!)
    }
    return finish(request, locateIn(request), token !== undefined, headers, context)
  }
}
