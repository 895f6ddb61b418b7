/**
 * Effect's client over undici, watched for when a request is written: what waits for a connection has not been sent,
 * however it ends.
 */
import * as SendProgress from "@effect-custody/core/SendProgress"
import { accessTokenHeader } from "@effect-custody/core/Transport"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Informational from "./informational.ts"
import { tooLate } from "./undiciExchange.ts"

/** A request with the progress that it is reported to, in undici's field for what a caller wants back. */
interface Marked {
  readonly opaque: { readonly progress: SendProgress.SendProgress }
}

const progressOf = (options: object): SendProgress.SendProgress | undefined =>
  (options as Partial<Marked>).opaque?.progress

/**
 * Watches each request that is marked. undici starts a request when it has a connection for it, TLS and all, and writes
 * the first byte right after, unless it was aborted by then; a request that was aborted is never written.
 */
const watching: Undici.Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const progress = progressOf(options)
  if (progress === undefined) return dispatch(options, handler)
  const start = handler.onRequestStart?.bind(handler)
  handler.onRequestStart = (controller, context) => {
    start?.(controller, context)
    if (controller.aborted) return
    if (progress.mayStart?.() === false) controller.abort(tooLate)
    else SendProgress.written(progress)
  }
  const answer = handler.onResponseStart?.bind(handler)
  let informational = 0
  handler.onResponseStart = (controller, status, headers, text) => {
    if (status >= 200 || ++informational <= Informational.most) return answer?.(controller, status, headers, text)
    controller.abort(Informational.tooMany)
  }
  SendProgress.waiting(progress)
  return dispatch(options, handler)
}

/** What connections there are: those of calls that read, of calls that write, and of what carries no access token. */
export interface Agents {
  readonly reads: Undici.Dispatcher
  readonly writes: Undici.Dispatcher
  readonly tokens: Undici.Dispatcher
}

/** The connections of a request. */
export const agentFor = (agents: Agents, method: string, headers: object): Undici.Dispatcher => {
  if (!Object.hasOwn(headers, accessTokenHeader)) return agents.tokens
  return method === "GET" ? agents.reads : agents.writes
}

/** Sends each request over its own kind of connections. */
const apart =
  (agents: Agents): Undici.Dispatcher.DispatcherComposeInterceptor =>
  () =>
  (options, handler) =>
    agentFor(agents, options.method, options.headers ?? {}).dispatch(options, handler)

/** The client over these agents. An answer that was compressed without being asked for is unpacked. */
export const make = (agents: Agents, { interceptors }: typeof Undici): Effect.Effect<HttpClient.HttpClient> =>
  Effect.map(
    Effect.provideService(
      NodeHttpClient.makeUndici,
      NodeHttpClient.Dispatcher,
      agents.reads
        .compose(apart(agents))
        .compose(interceptors.decompress({ skipErrorResponses: false }))
        .compose(watching)
    ),
    HttpClient.transform((exchange) =>
      Effect.flatMap(SendProgress.SendProgress, (progress) =>
        progress === undefined
          ? exchange
          : Effect.updateService(exchange, NodeHttpClient.UndiciOptions, (options) => {
              const marked: object & Marked = { ...options, opaque: { progress } }
              return marked as object
            })
      )
    )
  )
