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
    if (!controller.aborted) SendProgress.written(progress)
  }
  SendProgress.waiting(progress)
  return dispatch(options, handler)
}

/** Sends what carries no access token through an agent of its own. */
const apart =
  (tokens: Undici.Dispatcher): Undici.Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    Object.hasOwn(options.headers ?? {}, accessTokenHeader)
      ? dispatch(options, handler)
      : tokens.dispatch(options, handler)

/** The client over two agents: one for calls, one for what carries no access token. An answer that was compressed without being asked for is unpacked. */
export const make = (
  agents: { readonly calls: Undici.Dispatcher; readonly tokens: Undici.Dispatcher },
  { interceptors }: typeof Undici
): Effect.Effect<HttpClient.HttpClient> =>
  Effect.map(
    Effect.provideService(
      NodeHttpClient.makeUndici,
      NodeHttpClient.Dispatcher,
      agents.calls
        .compose(apart(agents.tokens))
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
