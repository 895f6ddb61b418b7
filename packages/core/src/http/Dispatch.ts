/**
 * A cheaper way to send a request than an `HttpClient`: a function with a callback. The transport uses the function
 * that is attached to its client. A middleware around the client removes the function.
 */
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as SendProgress from "./SendProgress.ts"

/** A request with an access token, ready to be sent. */
export interface Request {
  /** Scheme, host and port. */
  readonly origin: string
  /** The path with its query. */
  readonly path: string
  readonly method: HttpClientRequest.HttpClientRequest["method"]
  /** Names and values alternate. */
  readonly headers: Array<string>
  readonly body: Uint8Array | null
}

/** The end of an exchange. Its status is 0 if no answer began. */
export interface Ended extends SendProgress.Received {
  /** The reason why the answer is missing or incomplete. */
  readonly cause: unknown
}

/**
 * Sends a request, reports every step to `progress`, reads at most `limit` bytes of the body, and calls `onEnd` once.
 * Returns a function that ends the exchange early.
 */
export type Dispatch = (
  request: Request,
  options: {
    readonly progress: SendProgress.SendProgress
    readonly limit: number
    readonly onEnd: (ended: Ended) => void
  }
) => () => void

const key = "~effect-custody/core/Dispatch"

/**
 * Attaches a dispatch function to a client. A client that is derived from this one (`mapRequest`, `transform`, …) has
 * no dispatch function, so that no middleware is bypassed.
 */
export const attach = <C extends HttpClient.HttpClient>(client: C, dispatch: Dispatch): C =>
  Object.assign(client, { [key]: dispatch })

/** The dispatch function of a client, if it has one. */
export const of = (client: HttpClient.HttpClient): Dispatch | undefined =>
  (client as { readonly [key]?: Dispatch })[key]
