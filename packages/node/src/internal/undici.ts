/**
 * undici as an `HttpClient` that says when a request is written: what waits for a connection has not been sent, however
 * it ends.
 */
import * as SendProgress from "@effect-custody/core/SendProgress"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"

/** A request that says which progress it is, in undici's field for what a caller wants back. */
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
    if (!controller.aborted) SendProgress.written(progress)
  }
  SendProgress.waiting(progress)
  return dispatch(options, handler)
}

/** How undici connects. */
export interface Options {
  readonly connections: number
}

const make = ({ connections }: Options) =>
  Effect.gen(function* () {
    const agent = yield* NodeHttpClient.makeDispatcherOptions({
      connections,
      // One request on a connection at a time, and never HTTP/2: there undici sends what a lost connection has left
      // unanswered a second time, by itself.
      pipelining: 1,
      allowH2: false
    })
    const client = yield* Effect.provideService(
      NodeHttpClient.makeUndici,
      NodeHttpClient.Dispatcher,
      agent.compose(watching)
    )
    return HttpClient.transform(client, (exchange) =>
      Effect.flatMap(SendProgress.SendProgress, (progress) =>
        progress === undefined
          ? exchange
          : Effect.updateService(exchange, NodeHttpClient.UndiciOptions, (options) => {
              const marked: object & Marked = { ...options, opaque: { progress } }
              return marked as object
            })
      )
    )
  })

/** The client, with connections of its own that are closed with the layer. */
export const layer = (options: Options): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, make(options))
