/**
 * Admits programs of the same machine and the server's own pages. Refuses other machines and pages of other origins.
 *
 * @since 0.1.0
 * @siblings `cli` guards its page of payouts with it.
 */
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

/**
 * An error answer of the program itself: a JSON object with the status and a message.
 *
 * @since 0.1.0
 * @category responses
 */
export const failure = (status: number, message: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ status, message }, { status })

const forbidden = (message: string): Answer => Effect.succeed(failure(403, message))

/**
 * `true` for an address of the loopback.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/.test(address)

/** `true` if a host name always means this machine. A hostile page can make any other name resolve to the loopback. */
const isLocalName = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host)

/**
 * Refuses a request if its Host header is not a name of this machine. `undefined` admits the request.
 *
 * @since 0.1.0
 * @category guards
 */
export const hostRefusal = ({ headers }: HttpServerRequest.HttpServerRequest): Answer | undefined =>
  isLocalName(headers["host"] ?? "") ? undefined : forbidden("The Host must be a name of this machine")

/**
 * Refuses a request from another machine or from a page of another origin. `undefined` admits the request.
 *
 * @since 0.1.0
 * @category guards
 */
export const refusal = (request: HttpServerRequest.HttpServerRequest): Answer | undefined => {
  if (!Option.exists(request.remoteAddress, isLoopback)) return forbidden("This is for the same machine only")
  const { host = "", origin } = request.headers
  if (origin !== undefined && origin !== `http://${host}`) return forbidden("This is for the server's own page only")
  return hostRefusal(request)
}
