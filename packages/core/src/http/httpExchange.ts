/** Sends a request through an `HttpClient` with its middleware, and reads the answer. */
import type * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as SendProgress from "./SendProgress.ts"
import * as AnswerBody from "./answerBody.ts"
import { answer, brokenOff, type ExchangeResult, tooLarge, unanswered } from "./exchangeResult.ts"
import * as SecretRequest from "../secrets/SecretRequest.ts"
import * as SendPhase from "./sendPhase.ts"
import { fetchOnce } from "./fetchOnce.ts"
import { limitPassed, socketsRead, type TimeLimit } from "./timeLimit.ts"

export interface Settings {
  readonly baseUrl: string
  /** The maximum size of a body, in bytes. */
  readonly maxBytes: number
  /** The user agent of requests without their own. */
  readonly userAgent: string | undefined
}

/** Requests no compression, so that an incomplete body can be read. */
export const plain = { "accept-encoding": "identity" }

/** Adds the settings of an exchange to the context of its caller. */
const settingsFor = (maxBytes: number) => {
  const constant = Context.empty().pipe(
    Context.add(FetchHttpClient.RequestInit, { redirect: "manual" }),
    // Effect's own span would record a failed request, and send the caller's trace to the service.
    Context.add(HttpClient.TracerDisabledWhen, constTrue),
    // A cast, because `ByteSize.bytes` would load a parser of texts such as "10 MiB".
    Context.add(HttpIncomingMessage.MaxBodySize, BigInt(maxBytes) as ByteSize.ByteSize)
  )
  return (context: Context.Context<never>, progress: SendProgress.SendProgress) =>
    Context.merge(context, constant).pipe(
      // A middleware must not log the token, and must not send it to the target of a redirect.
      Context.add(Headers.CurrentRedactedNames, [
        ...Context.get(context, Headers.CurrentRedactedNames),
        SecretRequest.accessTokenHeader
      ]),
      Context.add(FetchHttpClient.Fetch, fetchOnce(Context.get(context, FetchHttpClient.Fetch))),
      Context.add(SendProgress.SendProgress, progress)
    )
}

const toSent = (request: HttpClientRequest.HttpClientRequest): SendProgress.SentRequest => ({
  method: request.method,
  url: Option.match(HttpClientRequest.toUrl(request), { onNone: () => request.url, onSome: ({ href }) => href }),
  headers: request.headers,
  body: request.body._tag === "Uint8Array" ? request.body.body : undefined
})

/**
 * Makes the function that sends a request. A request without an access token carries a one-time secret, and its answer
 * may be the only copy of new tokens. So for such a request, the function keeps an incomplete answer too, and extends
 * the time limit after a freeze of the process.
 */
export const make = (http: HttpClient.HttpClient, { baseUrl, maxBytes, userAgent }: Settings) => {
  const withSettings = settingsFor(maxBytes)
  const always = userAgent === undefined ? plain : { ...plain, "user-agent": userAgent }

  const read = (
    response: HttpClientResponse.HttpClientResponse,
    progress: SendProgress.SendProgress,
    keeps: boolean
  ): Effect.Effect<ExchangeResult> => {
    const { headers, status } = response
    const received = progress.received?.response === response ? progress.received : undefined
    if (received?.ending === "Whole") return answer(status, received.text(), received.headers)
    // For a cut answer, `response.text` fails with the reason for the cut.
    const text =
      received?.ending === "Cut" ? response.text : AnswerBody.read(response, { limit: maxBytes, progress, keeps })
    return Effect.matchEffect(text, {
      onSuccess: (text): Effect.Effect<ExchangeResult> => answer(status, text, headers),
      onFailure: (error) => {
        const failure = error._tag === "TooLarge" ? tooLarge(maxBytes) : SendPhase.of(error)
        return brokenOff(status, headers, progress, failure)
      }
    })
  }

  return (
    request: HttpClientRequest.HttpClientRequest,
    accessToken: Redacted.Redacted | undefined,
    progress: SendProgress.SendProgress,
    limit: TimeLimit
  ): Effect.Effect<ExchangeResult> => {
    const keeps = accessToken === undefined
    const complete = HttpClientRequest.prependUrl(
      // A user agent that the call has set takes precedence.
      HttpClientRequest.setHeaders(request, "user-agent" in request.headers ? plain : always),
      baseUrl
    )
    const prepared = http.preprocess(complete)
    // Add the token after the client's middleware, so that a request log does not show the token.
    const authorized = keeps ? prepared : Effect.map(prepared, (ready) => SecretRequest.authorize(ready, accessToken))
    const { onRequest } = progress
    const reported =
      onRequest === undefined
        ? authorized
        : Effect.tap(authorized, (ready) => Effect.sync(() => onRequest(toSent(ready))))
    return http.postprocess(reported).pipe(
      Effect.matchEffect({
        onSuccess: (response) => read(response, progress, keeps),
        onFailure: (error) => unanswered(progress, SendPhase.of(error))
      }),
      // `Effect.timeout` would interrupt the exchange before the sockets are read.
      Effect.raceFirst(
        Effect.andThen(
          keeps ? limitPassed(limit.after) : Effect.andThen(Effect.sleep(limit.after), socketsRead),
          limit.result
        )
      ),
      Effect.updateContext((context: Context.Context<never>) => withSettings(context, progress))
    )
  }
}
