/**
 * Raw HTTP requests, and answers as evidence without secrets. Does not use the SDK's session
 * or transport, so that a mistake in the SDK cannot hide one in the service. Uses the wire contract that is provided, and
 * removes secrets as the errors of the SDK do.
 *
 * Specification: "Request headers".
 */
import { fetchOnce } from "@effect-custody/core/Transport"
import type { WireContract } from "@effect-custody/core/WireContract"
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
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { makeRedactor } from "./redact.ts"
import { type Endpoint, type Sent, type Spoken, spokenBy } from "./spoken.ts"
import { isDeeper, isRecord } from "./values.ts"

/** The service's answer, with labels instead of its tokens and the API key. */
export interface Answered {
  readonly _tag: "Answered"
  /** The request in words. */
  readonly asked: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body, if it was JSON: as the specification has it, where a contract says otherwise. */
  readonly body: unknown
  /** Whether the status is that of a success. */
  readonly isSuccess: boolean
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
  readonly endpoint: Endpoint
  /** A text is sent as it is, fields as JSON. */
  readonly body?: Sent
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The tokens of an answer, which the answer itself does not contain. */
export interface Brought {
  readonly accessToken: Redacted.Redacted | undefined
  readonly refreshToken: Redacted.Redacted | undefined
}

export interface Wire {
  readonly ask: (asking: Asking) => Effect.Effect<readonly [Exchange, Brought]>
  /** An answer without the secrets that later ones have shown to be secrets. */
  readonly redacted: (exchange: Exchange) => Exchange
}

const attemptTimeout = Duration.seconds(30)

const nothing: Brought = { accessToken: undefined, refreshToken: undefined }

const secretIn = (data: unknown, name: string): Redacted.Redacted | undefined => {
  const value = isRecord(data) ? data[name] : undefined
  return typeof value === "string" && value !== "" ? Redacted.make(value, { label: name }) : undefined
}

/** How large an answer may be, in bytes, and how deeply nested. Those of a run are small. */
const largest = 1024 * 1024
const deepest = 64

/** The body as text; `undefined` if it is too large. */
const textOf = Effect.fnUntraced(function* ({ stream }: HttpClientResponse.HttpClientResponse) {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  yield* stream.pipe(
    Stream.runForEachWhile((chunk) =>
      Effect.sync(() => {
        size += chunk.byteLength
        if (size <= largest) text += decoder.decode(chunk, { stream: true })
        return size <= largest
      })
    ),
    Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.void)
  )
  return size > largest ? undefined : text + decoder.decode()
})

/** Why no answer came, as kind and code. Never a message: it may contain what was sent. */
const reasonOf = ({ reason }: HttpClientError): string => {
  for (let cause: unknown = reason.cause; isRecord(cause); cause = cause["cause"]) {
    if (typeof cause["code"] === "string") return `no answer: ${cause["code"]}`
  }
  return `no answer: ${reason._tag}`
}

const unanswered = (asked: string, reason: string): readonly [Exchange, Brought] => [
  { _tag: "Unanswered", asked, reason },
  nothing
]

/** Sends requests to a base address, in the session of one API key. */
export const makeWire = Effect.fnUntraced(function* (
  baseUrl: string,
  apiKey: Redacted.Redacted,
  contract: WireContract
): Effect.fn.Return<Wire, never, HttpClient.HttpClient> {
  const http = yield* HttpClient.HttpClient
  const { add, addTokens, redact } = makeRedactor()
  add("API key", Redacted.value(apiKey))

  const exchange = Effect.fnUntraced(function* (
    asked: string,
    { isSuccess, read }: Spoken,
    request: HttpClientRequest.HttpClientRequest
  ) {
    const response = yield* http.execute(HttpClientRequest.prependUrl(request, baseUrl))
    const text = yield* textOf(response)
    if (text === undefined) return unanswered(asked, `its answer is larger than ${largest} bytes`)
    const json: unknown = Result.getOrUndefined(Result.try(() => JSON.parse(text)))
    if (isDeeper(json, deepest)) return unanswered(asked, `its answer is nested deeper than ${deepest} levels`)
    const body = read(response.status, json)
    addTokens(json)
    addTokens(body)
    const answered: Answered = {
      _tag: "Answered",
      asked,
      status: response.status,
      headers: redact({ ...response.headers }),
      body: redact(body),
      isSuccess: isSuccess(response.status),
      at: yield* Clock.currentTimeMillis
    }
    const data = isRecord(body) ? body["data"] : undefined
    const brought = { accessToken: secretIn(data, "accessToken"), refreshToken: secretIn(data, "refreshToken") }
    return [answered, brought] as const
  })

  return {
    redacted: (exchange) =>
      exchange._tag === "Unanswered"
        ? exchange
        : { ...exchange, headers: redact(exchange.headers), body: redact(exchange.body) },
    ask: ({ asked, body, endpoint, headers = {} }) => {
      const spoken = spokenBy(contract, endpoint)
      const request = spoken.request(body)
      if (Result.isFailure(request)) return Effect.succeed(unanswered(asked, `not asked: ${request.failure}`))
      return exchange(asked, spoken, HttpClientRequest.setHeaders(request.success, headers)).pipe(
        Effect.catchTag("HttpClientError", (error) => Effect.succeed(unanswered(asked, reasonOf(error)))),
        Effect.timeoutOrElse({
          duration: attemptTimeout,
          orElse: () => Effect.succeed(unanswered(asked, `no answer within ${Duration.format(attemptTimeout)}`))
        }),
        // The key may be spent: whatever an answer holds, there is a report.
        Effect.catchDefect(() => Effect.succeed(unanswered(asked, "its answer cannot be read"))),
        // Tokens follow no redirect and appear in no log or span.
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
        Effect.updateService(FetchHttpClient.Fetch, fetchOnce),
        Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, "x-access-token"]),
        Effect.provideService(HttpClient.TracerDisabledWhen, constTrue)
      )
    }
  }
})
