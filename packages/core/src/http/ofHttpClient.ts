/** Makes a sender from any `HttpClient` with its middleware. Each exchange is a fiber of its own. */
import type * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as SecretRequest from "../secrets/SecretRequest.ts"
import * as Sender from "./Sender.ts"

const toStream = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes)
      controller.close()
    }
  })

const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array

/**
 * Wraps a `fetch` so that it sends a write only once, so that no payment is made twice. The Fetch standard lets a runtime
 * repeat a request on its own: Node does so after a 421, and Deno when a reused connection breaks off without an answer.
 * No runtime can repeat a request whose body is a stream, even an empty one.
 */
export const fetchOnce =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (input, init) => {
    const { body, headers: ownHeaders, method = "GET" } = init ?? {}
    const bytes = body ?? new Uint8Array()
    if (method === "GET" || method === "HEAD" || !isBytes(bytes)) return fetch(input, init)
    const headers = new globalThis.Headers(ownHeaders)
    headers.set("content-length", String(bytes.byteLength))
    const once = { ...init, headers, body: toStream(bytes), duplex: "half" }
    return fetch(input, once)
  }

/** Requests no compression, so that an incomplete body can be read. */
const plain = { "accept-encoding": "identity" }

/** Adds the settings of an exchange to the context of its caller. */
const settingsFor = (maxBytes: number) => {
  const constant = Context.empty().pipe(
    Context.add(FetchHttpClient.RequestInit, { redirect: "manual" }),
    // Effect's own span would record a failed request, and send the caller's trace to the service.
    Context.add(HttpClient.TracerDisabledWhen, constTrue),
    // A cast, because `ByteSize.bytes` would load a parser of texts such as "10 MiB".
    Context.add(HttpIncomingMessage.MaxBodySize, BigInt(maxBytes) as ByteSize.ByteSize)
  )
  return (context: Context.Context<never>, progress: Sender.SendProgress) =>
    Context.merge(context, constant).pipe(
      // A middleware must not log the token, and must not send it to the target of a redirect.
      Context.add(Headers.CurrentRedactedNames, [
        ...Context.get(context, Headers.CurrentRedactedNames),
        SecretRequest.accessTokenHeader
      ]),
      Context.add(FetchHttpClient.Fetch, fetchOnce(Context.get(context, FetchHttpClient.Fetch))),
      Context.add(Sender.SendProgress, progress)
    )
}

const toSent = (request: HttpClientRequest.HttpClientRequest): Sender.SentRequest => ({
  method: request.method,
  url: Option.match(HttpClientRequest.toUrl(request), { onNone: () => request.url, onSome: ({ href }) => href }),
  headers: request.headers,
  body: request.body._tag === "Uint8Array" ? request.body.body : undefined
})

const noText = () => ""

class TooLarge {
  readonly _tag = "TooLarge"
}

/** Reads chunk by chunk. Makes the bytes so far available in `progress`, unless the `HttpClient` already does so. */
const readChunks = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
  progress: Sender.SendProgress
): Effect.Effect<Sender.Ended> => {
  const { headers, status, stream } = response
  const isInBounds = !(Number(headers["content-length"]) > limit)
  const bytes = Sender.collectBytes(limit)
  const received = {
    status,
    headers,
    ending: "Open" as Sender.Ended["ending"],
    cause: undefined as unknown,
    get size() {
      return bytes.size
    },
    text: () => new TextDecoder().decode(bytes.all())
  }
  progress.received ??= received
  const end = (ending: Sender.Ended["ending"], cause?: unknown): Sender.Ended =>
    Object.assign(received, { ending, cause })
  return stream.pipe(
    Stream.runForEach((chunk) => {
      bytes.add(chunk)
      return bytes.size <= limit && isInBounds ? Effect.void : Effect.fail(new TooLarge())
    }),
    Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.void),
    Effect.match({
      onSuccess: () => end("Whole"),
      onFailure: (cause) => end(cause._tag === "TooLarge" ? "TooLarge" : "Cut", cause)
    })
  )
}

/** Reads the whole body, up to the limit. `keeps` is `true` if the caller needs an incomplete body too. */
const read = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
  progress: Sender.SendProgress,
  keeps: boolean
): Effect.Effect<Sender.Ended> => {
  const { headers, status } = response
  // The announced length of a compressed body says nothing about its size after decompression.
  const isSmall = Number(headers["content-length"]) <= limit && headers["content-encoding"] === undefined
  const isKept = !keeps || progress.received !== undefined
  if (!isSmall || !isKept) return readChunks(response, limit, progress)
  return Effect.match(response.text, {
    onSuccess: (text): Sender.Ended => ({ status, headers, ending: "Whole", text: () => text, cause: undefined }),
    onFailure: (cause): Sender.Ended => ({ status, headers, ending: "Cut", text: noText, cause })
  })
}

export const ofHttpClient =
  (http: HttpClient.HttpClient): Sender.Sender =>
  ({ baseUrl, maxBytes, userAgent }) => {
    const withSettings = settingsFor(maxBytes)
    const always = userAgent === undefined ? plain : { ...plain, "user-agent": userAgent }
    return (request, token, { context, onEnd, progress }) => {
      const prepared = Effect.suspend(() =>
        http.preprocess(
          HttpClientRequest.prependUrl(
            // A user agent that the call has set takes precedence.
            HttpClientRequest.setHeaders(request, "user-agent" in request.headers ? plain : always),
            baseUrl
          )
        )
      )
      // Add the token after the client's middleware, so that a request log does not show the token.
      const authorized =
        token === undefined ? prepared : Effect.map(prepared, (ready) => SecretRequest.authorize(ready, token))
      const { onRequest } = progress
      const reported =
        onRequest === undefined
          ? authorized
          : Effect.tap(authorized, (ready) => Effect.sync(() => onRequest(toSent(ready))))
      const exchange = Effect.matchEffect(http.postprocess(reported), {
        onSuccess: (response) => read(response, maxBytes, progress, token === undefined),
        onFailure: (cause) =>
          Effect.succeed<Sender.Ended>({ status: 0, headers: {}, ending: "Cut", text: noText, cause })
      })
      const fiber = Effect.runForkWith(withSettings(context, progress))(exchange)
      fiber.addObserver(onEnd)
      return Fiber.interrupt(fiber)
    }
  }
