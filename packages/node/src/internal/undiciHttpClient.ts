/**
 * The HTTP client for Node. Uses undici with a bounded number of connections, and reports when a request is written.
 */
import * as Dispatch from "@effect-custody/core/unstable/Dispatch"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as SendProgress from "@effect-custody/core/unstable/SendProgress"
import { accessTokenHeader } from "@effect-custody/core/unstable/SecretRequest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeStream from "@effect/platform-node/NodeStream"
import type * as Undici from "@effect/platform-node/Undici"
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
import { Exchange } from "./undiciExchange.ts"

/** The requests that may reuse a connection. */
export type Reuse = "reads" | "all" | "none"

/** The options of undici's connections. */
export interface Options {
  /** The maximum number of open connections of each kind to an origin. Further requests wait for a connection. */
  readonly connections: number
  readonly reuse: Reuse
}

const loadUndici = Effect.promise(() => import("@effect/platform-node/Undici"))

/** Fails on Bun, whose own replacement for undici cannot tell when a request is sent. */
export const needsUndici = Effect.filterOrFail(
  loadUndici,
  (undici) => "compose" in undici.default.Agent.prototype,
  () =>
    new ConfigurationInvalid({
      option: "httpClient",
      reason:
        "this runtime has no undici that can tell when a request is sent. In place of NodeCustody, use Custody.layer " +
        "with FetchHttpClient.layer and TokenStoreSqlite.layer"
    })
)

/**
 * The maximum size of an answer's head, in bytes. With Node's own limit of 16 KB, a proxy's cookies could make the
 * client lose an answer.
 */
const maxHeaderSize = 256 * 1024

const makeAgent = (connections: number, isKept: boolean) =>
  NodeHttpClient.makeDispatcherOptions({
    connections,
    connect: { timeout: 10_000 },
    maxHeaderSize,
    // `pipelining: 1` sends one request at a time on a connection; 0 opens a connection for each request. HTTP/2 stays
    // off, because undici would resend unanswered requests by itself after a lost connection.
    pipelining: isKept ? 1 : 0,
    allowH2: false,
    // The caller sets the time limits.
    headersTimeout: 0,
    bodyTimeout: 0
  })

/**
 * Makes three agents: for reads, for writes and for the authentication endpoints. By default, each write opens a new
 * connection, because a reused connection may deliver a stray response, which would count as the answer to the write. A
 * reused connection may also be one that the service is about to close as idle. The authentication endpoints have an
 * agent of their own, so that a refresh never queues behind calls that wait for its token.
 */
const makeAgents = ({ connections, reuse }: Options) =>
  Effect.all({
    reads: makeAgent(connections, reuse !== "none"),
    writes: makeAgent(connections, reuse === "all"),
    tokens: makeAgent(connections, false)
  })

/** Lists headers as undici takes them: names and values alternate. */
const flattenHeaders = (headers: HttpClientRequest.HttpClientRequest["headers"]): Array<string> => {
  const list: Array<string> = []
  for (const name of Object.keys(headers)) list.push(name, headers[name]!)
  if (headers["accept-encoding"] === undefined) list.push("accept-encoding", "identity")
  return list
}

type Body = Undici.Dispatcher.DispatchOptions["body"]

const toUndiciBody = (
  body: Exclude<HttpBody.HttpBody, HttpBody.Stream>,
  undici: typeof Undici
): NonNullable<Body> | null => {
  switch (body._tag) {
    case "Empty":
      return null
    case "Uint8Array":
      return body.body
    case "Raw":
      return body.body as Uint8Array
    case "FormData": {
      const form = new undici.FormData()
      for (const [name, value] of body.formData) form.append(name, value)
      return form
    }
  }
}

const defaultLimit = 10 * 1024 * 1024

const make = (options: Options) =>
  Effect.gen(function* () {
    const undici = yield* Effect.orDie(needsUndici)
    const agents = yield* makeAgents(options)

    /** Selects the agent of a request. A request without an access token is for an authentication endpoint. */
    const agentFor = ({ headers, method }: HttpClientRequest.HttpClientRequest): Undici.Dispatcher => {
      if (!Object.hasOwn(headers, accessTokenHeader)) return agents.tokens
      return method === "GET" ? agents.reads : agents.writes
    }

    const exchange = (
      request: HttpClientRequest.HttpClientRequest,
      { origin, pathname, search }: URL,
      body: NonNullable<Body> | null
    ) =>
      Effect.withFiber<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((fiber) => {
        const progress = fiber.getRef(SendProgress.SendProgress)
        const maxSize = fiber.getRef(HttpIncomingMessage.MaxBodySize)
        const limit = maxSize === undefined ? defaultLimit : Number(maxSize)
        return Effect.callback((resume) => {
          const handler = new Exchange(progress, limit, (ended) => resume(ended.result(request)))
          agentFor(request).dispatch(
            {
              origin,
              path: pathname + search,
              method: request.method,
              headers: flattenHeaders(request.headers),
              body
            },
            handler
          )
          return Effect.sync(() => handler.interrupt())
        })
      })

    const dispatch: Dispatch.Dispatch = (request, { limit, onEnd, progress }) => {
      const handler = new Exchange(progress, limit, onEnd)
      const agent = request.method === "GET" ? agents.reads : agents.writes
      agent.dispatch(request, handler)
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
          : exchange(request, target.success, toUndiciBody(request.body, undici))
      }),
      Effect.succeed
    )
    return Dispatch.attach(client, dispatch)
  })

/** The client. The layer closes its connections. */
export const layer = (options: Options): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, make(options))
