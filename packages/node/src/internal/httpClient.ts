/**
 * The HTTP client for Node: HTTP/2 or HTTP/1.1, with a limit on concurrent requests. The client reports when it writes
 * a request.
 */
import * as Dispatch from "@effect-custody/core/unstable/Dispatch"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as SendProgress from "@effect-custody/core/unstable/SendProgress"
import { accessTokenHeader } from "@effect-custody/core/unstable/SecretRequest"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Url from "effect/http/Url"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Connect from "./connect.ts"
import * as Egress from "./egress.ts"
import { Exchange } from "./exchange.ts"
import type * as Http1 from "./http1.ts"
import * as Http2Origin from "./http2Origin.ts"
import type { Kind, Outgoing } from "./outgoing.ts"

export interface Options extends Http1.Options, Egress.Options {}

/** Fails on Bun, whose own replacement for undici cannot tell when a request is sent. */
export const supportsRuntime = Effect.suspend(() =>
  "Bun" in globalThis
    ? Effect.fail(
        new ConfigurationInvalid({
          option: "httpClient",
          reason:
            "this runtime has no undici that can tell when a request is sent. In place of NodeCustody, use " +
            "Custody.layer with FetchHttpClient.layer and TokenStoreSqlite.layer"
        })
      )
    : Effect.void
)

/** Sends requests over undici, which the first request loads. */
const makeHttp1 = Effect.fnUntraced(function* (options: Http1.Options, connect: Connect.Connect) {
  const clock = yield* Clock.Clock
  let loaded: Http1.Http1 | undefined
  let loading: Promise<Http1.Http1> | undefined
  yield* Effect.addFinalizer(() =>
    loading === undefined ? Effect.void : Effect.promise(() => loading!.then(({ destroy }) => destroy()))
  )
  const send: Http2Origin.Send = (kind, request, exchange) => {
    if (loaded !== undefined) return loaded.dispatch(kind, request, exchange)
    loading ??= import("./http1.ts").then(({ make }) => (loaded = make(options, connect, clock)))
    void loading.then(
      (http1) => http1.dispatch(kind, request, exchange),
      (cause) => exchange.onResponseError(undefined, cause)
    )
  }
  return send
})

/** `false` on Deno, because Deno's replacement for `node:http2` was never tested. */
const hasHttp2 = !("Deno" in globalThis)

const makeConnect = Effect.fnUntraced(function* (options: Egress.Options) {
  const egress = yield* Effect.orDie(Effect.fromResult(Egress.make(options)))
  const tunnel = options.proxy === undefined ? undefined : yield* Effect.promise(() => import("./tunnel.ts"))
  return Connect.make(egress, tunnel)
})

/** Sends requests over HTTP/2 to https origins that speak it, and over HTTP/1.1 to all others. */
const makeSend = Effect.fnUntraced(function* (options: Options) {
  const connect = yield* makeConnect(options)
  const sendHttp1 = yield* makeHttp1(options, connect)
  const clock = yield* Clock.Clock
  const origins = new Map<string, Http2Origin.Http2Origin>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach([...origins.values()], ({ close }) => close, { concurrency: "unbounded", discard: true })
  )
  return (kind: Kind, request: Outgoing, exchange: Exchange): void => {
    const { origin } = request
    if (!hasHttp2 || !origin.startsWith("https:")) return sendHttp1(kind, request, exchange)
    let connections = origins.get(origin)
    if (connections === undefined) {
      connections = Http2Origin.make(origin, { clock, connect, connections: options.connections, sendHttp1 })
      origins.set(origin, connections)
    }
    connections.send(kind, request, exchange)
  }
})

/** Lists headers as undici takes them: names and values alternate. */
const flattenHeaders = (headers: HttpClientRequest.HttpClientRequest["headers"]): Array<string> => {
  const list: Array<string> = []
  for (const name of Object.keys(headers)) list.push(name, headers[name]!)
  if (headers["accept-encoding"] === undefined) list.push("accept-encoding", "identity")
  return list
}

const toBody = (body: Exclude<HttpBody.HttpBody, HttpBody.Stream>): Outgoing["body"] => {
  switch (body._tag) {
    case "Empty":
      return null
    case "Uint8Array":
      return body.body
    case "Raw":
      return body.body as Uint8Array
    case "FormData":
      return body.formData
  }
}

/** The kind of a request. A request without an access token is for an authentication endpoint. */
const kindOf = ({ headers, method }: HttpClientRequest.HttpClientRequest): Kind => {
  if (!Object.hasOwn(headers, accessTokenHeader)) return "tokens"
  return method === "GET" ? "reads" : "writes"
}

const defaultLimit = 10 * 1024 * 1024

const make = (options: Options) =>
  Effect.gen(function* () {
    yield* Effect.orDie(supportsRuntime)
    const send = yield* makeSend(options)

    const exchange = (
      request: HttpClientRequest.HttpClientRequest,
      { origin, pathname, search }: URL,
      body: Outgoing["body"]
    ) =>
      Effect.withFiber<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((fiber) => {
        const progress = fiber.getRef(SendProgress.SendProgress)
        const maxSize = fiber.getRef(HttpIncomingMessage.MaxBodySize)
        const limit = maxSize === undefined ? defaultLimit : Number(maxSize)
        return Effect.callback((resume) => {
          const handler = new Exchange(progress, limit, (ended) => resume(ended.result(request)))
          send(
            kindOf(request),
            { origin, path: pathname + search, method: request.method, headers: flattenHeaders(request.headers), body },
            handler
          )
          return Effect.sync(() => handler.interrupt())
        })
      })

    const dispatch: Dispatch.Dispatch = (request, { limit, onEnd, progress }) => {
      const handler = new Exchange(progress, limit, onEnd)
      send(request.method === "GET" ? "reads" : "writes", request, handler)
      return () => handler.interrupt()
    }

    const client = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
      Effect.flatMap((request) => {
        const target = Url.make(request.url, request.urlParams, Option.getOrUndefined(request.hash))
        if (Result.isFailure(target)) {
          const reason = new HttpClientError.InvalidUrlError({ request, cause: target.failure })
          return Effect.fail(new HttpClientError.HttpClientError({ reason }))
        }
        return request.body._tag === "Stream"
          ? Effect.flatMap(NodeStream.toReadable(request.body.stream), (body) =>
              exchange(request, target.success, body)
            )
          : exchange(request, target.success, toBody(request.body))
      }),
      Effect.succeed
    )
    return Dispatch.attach(client, dispatch)
  })

/** Provides the client. Closing the layer closes the connections. */
export const layer = (options: Options): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, make(options))

/**
 * Finds the protocol that the service at an address chooses. Opens one connection, and sends no request. Returns
 * `undefined` if the connection fails.
 */
export const negotiateProtocol = (
  { hostname, port, protocol }: URL,
  options: Egress.Options
): Effect.Effect<"HTTP/2" | "HTTP/1.1" | undefined> =>
  Effect.flatMap(makeConnect(options), (connect) =>
    Effect.callback((resume) => {
      const cancel = connect({ hostname, port, protocol, alpn: ["h2", "http/1.1"] }, (result) => {
        if (result instanceof Error) return resume(Effect.undefined)
        result.destroy()
        const isHttp2 = "alpnProtocol" in result && result.alpnProtocol === "h2"
        resume(Effect.succeed(isHttp2 ? "HTTP/2" : "HTTP/1.1"))
      })
      return Effect.sync(cancel)
    })
  )
