/** The service as an `HttpClient`, without sockets. The client ignores the host of a request. */
import * as Sender from "@effect-custody/core/siblings/Sender"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import { type Outcome, toResponse } from "../http/outcome.ts"
import type { Service } from "./service.ts"

/** An error with a code, like the errors of Node's transports. */
const transportFailure = (code: string): Error => Object.assign(new Error(code), { code })

const encoder = new TextEncoder()

const fail = (request: HttpClientRequest.HttpClientRequest, cause: Error) =>
  Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) }))

const respond = (
  request: HttpClientRequest.HttpClientRequest,
  outcome: Outcome
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
  if (outcome._tag === "Broken") return fail(request, transportFailure(outcome.code))
  if (outcome._tag === "Replied") {
    return Effect.succeed(HttpServerResponse.toClientResponse(toResponse(outcome.reply), { request }))
  }
  const { body, headers, status } = outcome.reply
  const bytes = encoder.encode(body)
  const broken = Stream.concat(
    Stream.make(bytes.subarray(0, outcome.bytes)),
    Stream.fail(transportFailure("UND_ERR_SOCKET"))
  )
  const response = HttpServerResponse.stream(broken, { status, headers, contentLength: bytes.byteLength })
  return Effect.succeed(HttpServerResponse.toClientResponse(response, { request }))
}

/**
 * A client that sends every request to the service. Each exchange yields once, so that concurrent calls overlap as they
 * do over a network.
 */
export const makeClient = (service: Service): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    Effect.flatMap(Sender.SendProgress, (progress) =>
      progress?.mayStart?.() === false
        ? fail(request, Sender.tooLate)
        : Effect.suspend(() => service.exchange(HttpServerRequest.fromClientRequest(request))).pipe(
            Effect.tap(Effect.yieldNow),
            Effect.flatMap((outcome) => respond(request, outcome))
          )
    )
  )
