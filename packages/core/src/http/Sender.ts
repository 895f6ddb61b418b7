/**
 * The only way in which the transport sends a request: a function with a callback. Node's client carries a sender of its
 * own; `ofHttpClient` makes one from any other `HttpClient`.
 *
 * @stability unstable
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Redacted from "effect/Redacted"
import type * as SendProgress from "./SendProgress.ts"

/** The settings of all requests. */
export interface Settings {
  readonly baseUrl: string
  /** The maximum size of a body, in bytes. */
  readonly maxBytes: number
  /** The user agent of requests without their own. */
  readonly userAgent: string | undefined
}

/** What an exchange ended with. The status is 0 if no answer began. */
export interface Ended extends SendProgress.Received {
  /** The reason why the answer is missing or incomplete. */
  readonly cause: unknown
}

/** The caller of one request. */
export interface Caller {
  /** The sender reports each step to it, the request included. */
  readonly progress: SendProgress.SendProgress
  readonly context: Context.Context<never>
  /** The sender calls this once. The exit is a failure if a middleware threw, or interrupted itself. */
  readonly onEnd: (exit: Exit.Exit<Ended>) => void
}

/**
 * Sends a request whose URL is relative to the base address. Returns an effect that ends the exchange early, and waits
 * for the finalizers of a middleware. A request without a token is for an authentication endpoint.
 */
export type Send = (
  request: HttpClientRequest.HttpClientRequest,
  token: Redacted.Redacted | undefined,
  caller: Caller
) => Effect.Effect<void>

export type Sender = (settings: Settings) => Send

const key = "~effect-custody/core/Sender"

/**
 * Attaches a sender to a client. A client that is derived from this one (`mapRequest`, `transform`, …) has no sender, so
 * that no middleware is bypassed.
 */
export const attach = <C extends HttpClient.HttpClient>(client: C, sender: Sender): C =>
  Object.assign(client, { [key]: sender })

/** The sender of a client, if it has one. */
export const of = (client: HttpClient.HttpClient): Sender | undefined => (client as { readonly [key]?: Sender })[key]
