/**
 * The HTTP client for Node: HTTP/2 or HTTP/1.1, with a limit on concurrent requests. The client reports when it writes
 * a request.
 */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Sender from "@effect-custody/core/siblings/Sender"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Layer from "effect/Layer"
import * as Connect from "./connect.ts"
import * as Egress from "./egress.ts"
import { Exchange } from "./exchange.ts"
import type * as Http1 from "./http1.ts"
import * as Http2Origin from "./http2Origin.ts"
import * as Outgoing from "./outgoing.ts"

export interface Options extends Http1.Options, Egress.Options {}

/** Fails on Bun, whose own replacement for undici cannot tell when a request is sent. */
export const supportsRuntime = Effect.suspend(() =>
  "Bun" in globalThis
    ? Effect.fail(
        new ConfigurationInvalid({
          option: "httpClient",
          reason:
            "this runtime has no undici that can tell when a request is sent. In place of NodeCustody, use " +
            "Custody.layer with FetchHttpClient.layer and TokenStoreSqlite.layer; the worker of a ledger needs Node"
        })
      )
    : Effect.void
)

/** Sends requests over undici, which the first request loads. */
const makeHttp1 = Effect.fnUntraced(function* (options: Http1.Options, connect: Connect.Connect) {
  let loaded: Http1.Http1 | undefined
  let loading: Promise<Http1.Http1> | undefined
  yield* Effect.addFinalizer(() =>
    loading === undefined ? Effect.void : Effect.promise(() => loading!.then(({ destroy }) => destroy()))
  )
  const send: Http2Origin.Send = (request, exchange) => {
    if (loaded !== undefined) return loaded.dispatch(request, exchange)
    loading ??= import("./http1.ts").then(({ make }) => (loaded = make(options, connect)))
    void loading.then(
      (http1) => http1.dispatch(request, exchange),
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
  return (request: Outgoing.Outgoing, exchange: Exchange): void => {
    const { origin } = request
    if (!hasHttp2 || !origin.startsWith("https:")) return sendHttp1(request, exchange)
    let connections = origins.get(origin)
    if (connections === undefined) {
      connections = Http2Origin.make(origin, { clock, connect, connections: options.connections, sendHttp1 })
      origins.set(origin, connections)
    }
    connections.send(request, exchange)
  }
})

const defaultLimit = 10 * 1024 * 1024

const toSent = ({ body, headers, method, origin, path }: Outgoing.Outgoing): Sender.SentRequest => ({
  method,
  url: origin + path,
  headers: Object.fromEntries(Arr.chunksOf(headers, 2) as Iterable<[string, string]>),
  body: body instanceof Uint8Array ? body : undefined
})

const make = (options: Options) =>
  Effect.gen(function* () {
    yield* Effect.orDie(supportsRuntime)
    const send = yield* makeSend(options)
    const start = (outgoing: Outgoing.Outgoing | HttpClientError.HttpClientError, exchange: Exchange) => {
      if (outgoing instanceof HttpClientError.HttpClientError) exchange.onResponseError(undefined, outgoing)
      else send(outgoing, exchange)
      return Effect.sync(() => exchange.interrupt())
    }

    const client = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
      Effect.flatMap((request) =>
        Effect.withFiber<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((fiber) => {
          const progress = fiber.getRef(Sender.SendProgress)
          const maxSize = fiber.getRef(HttpIncomingMessage.MaxBodySize)
          const limit = maxSize === undefined ? defaultLimit : Number(maxSize)
          return Effect.callback((resume) =>
            start(
              Outgoing.ofRequest(request, fiber.context),
              new Exchange(progress, limit, (ended) => resume(ended.result(request)))
            )
          )
        })
      ),
      Effect.succeed
    )

    return Sender.attach(client, (settings) => {
      const convert = Outgoing.relativeTo(settings)
      return (request, token, { context, onEnd, progress }) => {
        const outgoing = convert(request, token, context)
        if (progress.onRequest !== undefined && "path" in outgoing) progress.onRequest(toSent(outgoing))
        return start(outgoing, new Exchange(progress, settings.maxBytes, (ended) => onEnd(Exit.succeed(ended))))
      }
    })
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
