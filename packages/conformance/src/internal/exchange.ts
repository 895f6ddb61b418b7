/**
 * Raw HTTP requests, and answers as evidence without secrets. Uses nothing of the SDK's session, transport or contracts,
 * so that a mistake in the SDK cannot hide one in the service.
 *
 * Specification: "Request headers".
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { isRecord } from "./values.ts"
import { makeRedactor } from "./redact.ts"

/** The service's answer, with labels instead of its tokens and the API key. */
export interface Answered {
  readonly _tag: "Answered"
  /** The request in words. */
  readonly asked: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body, if it was JSON. */
  readonly body: unknown
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly at: number
}

/** A request without an answer, and why. */
export interface Unanswered {
  readonly _tag: "Unanswered"
  readonly asked: string
  readonly reason: string
}

export type Exchange = Answered | Unanswered

export interface Asking {
  readonly asked: string
  readonly path: string
  /** A string is sent as is, anything else as JSON. A request with a body is a POST, one without is a GET. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The tokens of an answer, which the answer itself does not contain. */
export interface Brought {
  readonly accessToken: Redacted.Redacted | undefined
  readonly refreshToken: Redacted.Redacted | undefined
}

export interface Wire {
  readonly ask: (asking: Asking) => Effect.Effect<readonly [Exchange, Brought]>
}

const attemptTimeout = Duration.seconds(30)

const nothing: Brought = { accessToken: undefined, refreshToken: undefined }

const secretIn = (data: unknown, name: string): Redacted.Redacted | undefined => {
  const value = isRecord(data) ? data[name] : undefined
  return typeof value === "string" && value !== "" ? Redacted.make(value, { label: name }) : undefined
}

/** Why no answer came, as kind and code. Never a message: it may contain what was sent. */
const reasonOf = ({ reason }: HttpClientError): string => {
  for (let cause: unknown = reason.cause; isRecord(cause); cause = cause["cause"]) {
    if (typeof cause["code"] === "string") return `no answer: ${cause["code"]}`
  }
  return `no answer: ${reason._tag}`
}

/** Sends requests to a base address, in the session of one API key. */
export const makeWire = Effect.fnUntraced(function* (
  baseUrl: string,
  apiKey: Redacted.Redacted
): Effect.fn.Return<Wire, never, HttpClient.HttpClient> {
  const http = yield* HttpClient.HttpClient
  const { add, addTokens, redact } = makeRedactor()
  add("API key", Redacted.value(apiKey))

  const exchange = Effect.fnUntraced(function* ({ asked, body, headers = {}, path }: Asking) {
    const request = HttpClientRequest.make(body === undefined ? "GET" : "POST")(`${baseUrl}${path}`, {
      headers: { accept: "application/json", ...headers }
    })
    const response = yield* http.execute(
      body === undefined
        ? request
        : typeof body === "string"
          ? HttpClientRequest.bodyText(request, body, "application/json")
          : HttpClientRequest.bodyJsonUnsafe(request, body)
    )
    const text = yield* response.text
    const json: unknown = Result.getOrUndefined(Result.try(() => JSON.parse(text)))
    addTokens(json)
    const answered: Answered = {
      _tag: "Answered",
      asked,
      status: response.status,
      headers: redact({ ...response.headers }),
      body: redact(json),
      at: yield* Clock.currentTimeMillis
    }
    const data = isRecord(json) ? json["data"] : undefined
    const brought = { accessToken: secretIn(data, "accessToken"), refreshToken: secretIn(data, "refreshToken") }
    return [answered, brought] as const
  })

  const unanswered = (asked: string, reason: string): readonly [Exchange, Brought] => [
    { _tag: "Unanswered", asked, reason },
    nothing
  ]

  return {
    ask: (asking) =>
      exchange(asking).pipe(
        Effect.catchTag("HttpClientError", (error) => Effect.succeed(unanswered(asking.asked, reasonOf(error)))),
        Effect.timeoutOrElse({
          duration: attemptTimeout,
          orElse: () => Effect.succeed(unanswered(asking.asked, `no answer within ${Duration.format(attemptTimeout)}`))
        }),
        // Tokens follow no redirect and appear in no log or span.
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
        Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, "x-access-token"]),
        Effect.provideService(HttpClient.TracerDisabledWhen, constTrue)
      )
  }
})
