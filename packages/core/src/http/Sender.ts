/**
 * How a request is sent: a sender is a function with a callback, and reports each step to the `SendProgress` of the
 * request. Node's client carries a sender of its own; `ofHttpClient` makes one from any other `HttpClient`, which reports
 * only what it can. If a sender reports nothing, its requests may have arrived, unless an error shows that nothing was
 * sent.
 *
 * @siblings `node` is a sender of its own, and `ledger` says until when a payout may start.
 */
import type * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Secrets from "../secrets/Secrets.ts"

// A sender.

/** The settings of all requests. */
export interface Settings {
  readonly baseUrl: string
  /** The maximum size of a body, in bytes. */
  readonly maxBytes: number
  /** The user agent of requests without their own. */
  readonly userAgent: string | undefined
}

/** What an exchange ended with. The status is 0 if no answer began. */
export interface Ended extends Received {
  /** The reason why the answer is missing or incomplete. */
  readonly cause: unknown
}

/** The caller of one request. */
export interface Caller {
  /** The sender reports each step to it, the request included. */
  readonly progress: SendProgress
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

// What it reports: the progress of a request.

/** The part of an answer that has arrived. The transport keeps it up to date. */
export interface Received {
  readonly status: number
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** `Open`: more bytes may come. `Cut`: the connection broke off, or the body cannot be decoded. */
  readonly ending: "Open" | "Whole" | "Cut" | "TooLarge"
  /** The number of body bytes so far, before decompression; absent if the transport does not count them. */
  readonly size?: number
  /** Returns the part of the body that has arrived. */
  readonly text: () => string
}

/** A request as a transport sends it. Its headers hold the access token. */
export interface SentRequest {
  readonly method: string
  /** The whole address. */
  readonly url: string
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes of the body. Absent if there is no body, or if the body is multipart. */
  readonly body: Uint8Array | undefined
}

/** The progress of one request. The transport writes it, and the client reads it. */
export interface SendProgress {
  /**
   * The stage of the request. It only moves forward:
   *
   * - `Unknown`: the transport does not report the stage;
   * - `Waiting`: the transport has accepted the request, and no byte of it is on a connection;
   * - `Written`: the first byte is on a connection, or is about to be;
   * - `Refused`: the service has said that it did not process the request, as HTTP/2 can.
   */
  stage: "Unknown" | "Waiting" | "Written" | "Refused"
  /** A transport that reports progress calls this right before the first byte. After `false`, it must send nothing. */
  readonly mayStart?: (() => boolean) | undefined
  /** The transport calls this with the request, right before it hands the request to its client or connection. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined
  /** The answer, once its headers have arrived; absent if the transport does not report it. */
  received?: Received
}

/** The progress of the current request; `undefined` outside a request. */
export const SendProgress = Context.Reference<SendProgress | undefined>("@effect-custody/core/SendProgress", {
  defaultValue: () => undefined
})

/**
 * The `mayStart` check of a call's requests. It returns `false` once it is too late to send, so that a process that was
 * suspended cannot send late. The request then fails as certainly not sent. A transport that never runs the check sends
 * the request anyway, so code that depends on the check must record that the check ran.
 */
export const MayStart = Context.Reference<(() => boolean) | undefined>("@effect-custody/core/MayStart", {
  defaultValue: () => undefined
})

/** The error with which a transport ends a request for which `mayStart` returned `false`. */
export const tooLate = Object.assign(new Error("the request was not sent in time"), {
  code: "TOO_LATE_TO_SEND",
  stack: undefined
})

export const makeProgress = (
  mayStart?: SendProgress["mayStart"],
  onRequest?: SendProgress["onRequest"]
): SendProgress => ({
  stage: "Unknown",
  mayStart,
  onRequest
})

/** Notes that the transport has accepted the request, and will report every further step. */
export const waiting = (progress: SendProgress): void => {
  if (progress.stage === "Unknown") progress.stage = "Waiting"
}

/** `true` if the service certainly did not process the request. */
export const isNotSent = ({ stage }: SendProgress): boolean => stage === "Waiting" || stage === "Refused"

// The bytes of a body while they arrive. The memory depends on the number of bytes, not on the number of chunks.

/** The bytes of a body that have arrived. */
export interface BodyBytes extends ReturnType<typeof collectBytes> {}

const none = new Uint8Array()

/** Makes an empty collection. Reserves memory for at most `limit` bytes in advance. Further bytes are kept too. */
export const collectBytes = (limit: number) => {
  let bytes: Uint8Array = none
  let size = 0
  return {
    get size(): number {
      return size
    },
    /** Adds the next chunk. Keeps a reference to the first chunk, and copies each further chunk. */
    add: (chunk: Uint8Array): void => {
      const before = size
      size += chunk.byteLength
      if (before === 0) {
        bytes = chunk
        return
      }
      if (size > bytes.byteLength) {
        const larger = new Uint8Array(Math.max(size, Math.min(2 * size, limit)))
        larger.set(bytes.subarray(0, before))
        bytes = larger
      }
      bytes.set(chunk, before)
    },
    /** Returns all bytes. A later chunk does not change the result. */
    all: (): Uint8Array => (size === bytes.byteLength ? bytes : bytes.subarray(0, size))
  }
}

// A sender from any `HttpClient` with its middleware. Each exchange is a fiber of its own.

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
    const once = { ...init, headers, body: new Blob([bytes]).stream(), duplex: "half" }
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
  return (context: Context.Context<never>, progress: SendProgress) =>
    Context.merge(context, constant).pipe(
      // A middleware must not log the token, and must not send it to the target of a redirect.
      Context.add(Headers.CurrentRedactedNames, [
        ...Context.get(context, Headers.CurrentRedactedNames),
        Secrets.accessTokenHeader
      ]),
      Context.add(FetchHttpClient.Fetch, fetchOnce(Context.get(context, FetchHttpClient.Fetch))),
      Context.add(SendProgress, progress)
    )
}

const toSent = (request: HttpClientRequest.HttpClientRequest): SentRequest => ({
  method: request.method,
  url: Option.match(HttpClientRequest.toUrl(request), { onNone: () => request.url, onSome: ({ href }) => href }),
  headers: request.headers,
  body: request.body._tag === "Uint8Array" ? request.body.body : undefined
})

class TooLarge {
  readonly _tag = "TooLarge"
}

/** Reads the body, up to the limit. Makes the bytes so far available in `progress`, unless the `HttpClient` does so. */
const read = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
  progress: SendProgress
): Effect.Effect<Ended> => {
  const { headers, status, stream } = response
  const isInBounds = !(Number(headers["content-length"]) > limit)
  const bytes = collectBytes(limit)
  const received = {
    status,
    headers,
    ending: "Open" as Ended["ending"],
    cause: undefined as unknown,
    get size() {
      return bytes.size
    },
    text: () => new TextDecoder().decode(bytes.all())
  }
  progress.received ??= received
  const end = (ending: Ended["ending"], cause?: unknown): Ended => Object.assign(received, { ending, cause })
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

export const ofHttpClient =
  (http: HttpClient.HttpClient): Sender =>
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
        token === undefined ? prepared : Effect.map(prepared, (ready) => Secrets.authorize(ready, token))
      const { onRequest } = progress
      const reported =
        onRequest === undefined
          ? authorized
          : Effect.tap(authorized, (ready) => Effect.sync(() => onRequest(toSent(ready))))
      const exchange = Effect.matchEffect(http.postprocess(reported), {
        onSuccess: (response) => read(response, maxBytes, progress),
        onFailure: (cause) => Effect.succeed<Ended>({ status: 0, headers: {}, ending: "Cut", text: () => "", cause })
      })
      const fiber = Effect.runForkWith(withSettings(context, progress))(exchange)
      fiber.addObserver(onEnd)
      return Fiber.interrupt(fiber)
    }
  }
