/**
 * Sends raw HTTP requests. Does not use the SDK's session or transport, so that a mistake in the SDK cannot hide a mistake
 * in the service.
 *
 * Specification: "Request headers".
 */
import { fetchOnce } from "@effect-custody/core/siblings/Sender"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { isRecord } from "./values.ts"

export type Endpoint = "authentication.generateTokens" | "authentication.refreshToken" | "vaults.details"

/** The fields of a body, or a text to send unchanged. */
export type Sent = Readonly<Record<string, unknown>> | string | undefined

interface EndpointWire {
  /** Makes the request, relative to the base address. */
  readonly request: (sent: Sent) => HttpClientRequest.HttpClientRequest
  /** The status of a success. */
  readonly success: number
}

const specified: Readonly<Record<Endpoint, readonly [method: "GET" | "POST", path: string, status: number]>> = {
  "authentication.generateTokens": ["POST", "/auth/generate-tokens", 201],
  "authentication.refreshToken": ["POST", "/auth/refresh-token", 201],
  "vaults.details": ["GET", "/vaults/details", 200]
}

const endpointWire = (endpoint: Endpoint): EndpointWire => {
  const [method, path, success] = specified[endpoint]
  const request = HttpClientRequest.make(method)(path, { headers: { accept: "application/json" } })
  return {
    request: (sent) => {
      if (sent === undefined) return request
      return typeof sent === "string"
        ? HttpClientRequest.bodyText(request, sent, "application/json")
        : HttpClientRequest.bodyJsonUnsafe(request, sent)
    },
    success
  }
}

export interface Answered {
  readonly _tag: "Answered"
  /** A description of the request. */
  readonly asked: string
  readonly status: number
  /** The service's time in milliseconds since the Unix epoch. NaN if the answer has none. */
  readonly serviceTime: number
  /** The JSON body. */
  readonly body: unknown
  readonly isSuccess: boolean
  /** The status of a success. */
  readonly success: number
  /** The time of arrival in milliseconds since the Unix epoch. */
  readonly at: number
}

/** A request without an answer, and the reason. */
export interface Unanswered {
  readonly _tag: "Unanswered"
  readonly asked: string
  readonly reason: string
}

export type Exchange = Answered | Unanswered

export interface Request {
  readonly asked: string
  readonly endpoint: Endpoint
  readonly body?: Sent
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const attemptTimeout = Duration.seconds(30)

/** The limit of an answer in bytes. The answers of a run are small. */
const maxAnswerBytes = 1024 * 1024

/** Reads the body as text. `undefined` if it is too large. */
const readText = Effect.fnUntraced(function* ({ stream }: HttpClientResponse.HttpClientResponse) {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  yield* stream.pipe(
    Stream.runForEachWhile((chunk) =>
      Effect.sync(() => {
        size += chunk.byteLength
        if (size <= maxAnswerBytes) text += decoder.decode(chunk, { stream: true })
        return size <= maxAnswerBytes
      })
    ),
    Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.void)
  )
  return size > maxAnswerBytes ? undefined : text + decoder.decode()
})

/** Formats the reason for a missing answer as kind and code. A message could contain what was sent. */
const formatReason = ({ reason }: HttpClientError): string => {
  for (let cause: unknown = reason.cause; isRecord(cause); cause = cause["cause"]) {
    if (typeof cause["code"] === "string") return `no answer: ${cause["code"]}`
  }
  return `no answer: ${reason._tag}`
}

/** Makes a function that sends requests to a base address. */
export const makeSender = Effect.fnUntraced(function* (baseUrl: string) {
  const http = yield* HttpClient.HttpClient

  const exchange = Effect.fnUntraced(function* (
    asked: string,
    success: number,
    request: HttpClientRequest.HttpClientRequest
  ): Effect.fn.Return<Exchange, HttpClientError> {
    const response = yield* http.execute(HttpClientRequest.prependUrl(request, baseUrl))
    const { headers, status } = response
    const text = yield* readText(response)
    if (text === undefined) {
      return { _tag: "Unanswered", asked, reason: `its answer is larger than ${maxAnswerBytes} bytes` }
    }
    const json: unknown = Result.getOrUndefined(Result.try(() => JSON.parse(text)))
    return {
      _tag: "Answered",
      asked,
      status,
      serviceTime: Date.parse(headers["date"] ?? ""),
      body: json,
      isSuccess: status >= 200 && status < 300,
      success,
      at: yield* Clock.currentTimeMillis
    }
  })

  return ({ asked, body, endpoint, headers = {} }: Request): Effect.Effect<Exchange> => {
    const { request, success } = endpointWire(endpoint)
    const unanswered = (reason: string): Effect.Effect<Exchange> =>
      Effect.succeed({ _tag: "Unanswered", asked, reason })
    return exchange(asked, success, HttpClientRequest.setHeaders(request(body), headers)).pipe(
      Effect.catchTag("HttpClientError", (error) => unanswered(formatReason(error))),
      Effect.timeoutOrElse({
        duration: attemptTimeout,
        orElse: () => unanswered(`no answer within ${Duration.format(attemptTimeout)}`)
      }),
      // The key may be spent, so every answer leads to a report.
      Effect.catchDefect(() => unanswered("its answer cannot be read")),
      // Tokens must follow no redirect and appear in no log or span.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.updateService(FetchHttpClient.Fetch, fetchOnce),
      Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, "x-access-token"]),
      Effect.provideService(HttpClient.TracerDisabledWhen, constTrue)
    )
  }
})
