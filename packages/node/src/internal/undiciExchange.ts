/** One exchange on a connection of undici: a handler that undici calls, and the answer that it collects. */
import * as BodyBytes from "@effect-custody/core/unstable/BodyBytes"
import type * as Dispatch from "@effect-custody/core/unstable/Dispatch"
import * as SendProgress from "@effect-custody/core/unstable/SendProgress"
import type * as Undici from "@effect/platform-node/Undici"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { decoded, type Decoded } from "./contentEncoding.ts"

const utf8 = new TextDecoder()

/** The caller does not wait any more. Its stack would name this file, so there is none. */
const interrupted = Object.assign(new Error("the request was interrupted"), { stack: undefined })

/** It may not be sent any more, and nothing of it was. Named as undici names a connection that takes too long. */
export const tooLate = Object.assign(new Error("the request waited too long for its connection"), {
  code: "UND_ERR_CONNECT_TIMEOUT",
  stack: undefined
})

/** The body is larger than it may be; the connection is closed. Named as undici names it. */
const tooLarge = (limit: number) =>
  Object.assign(new Error(`the body is larger than ${limit} bytes`), { code: "UND_ERR_RES_EXCEEDED_MAX_SIZE" })

const noHeaders: Exchange["headers"] = {}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** What undici calls while an exchange goes on, and all that is known of it. */
export class Exchange implements Undici.Dispatcher.DispatchHandler, Dispatch.Ended {
  readonly progress: SendProgress.SendProgress | undefined
  /** The size of the largest body that is read, in bytes. */
  readonly limit: number
  status = 0
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> = noHeaders
  ending: SendProgress.Received["ending"] = "Open"
  response: HttpClientResponse.HttpClientResponse | undefined
  cause: unknown
  readonly #onEnd: (exchange: Exchange) => void
  readonly #received: BodyBytes.BodyBytes
  #body: { readonly of: number; readonly decoded: Decoded } | undefined
  #controller: Undici.Dispatcher.DispatchController | undefined
  #isInterrupted = false

  constructor(progress: SendProgress.SendProgress | undefined, limit: number, onEnd: (exchange: Exchange) => void) {
    this.progress = progress
    this.limit = limit
    this.#received = BodyBytes.make(limit)
    this.#onEnd = onEnd
    if (progress !== undefined) SendProgress.waiting(progress)
  }

  /** There is a connection, TLS and all; the first byte is written right after, unless it is aborted here. */
  onRequestStart(controller: Undici.Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isInterrupted) controller.abort(interrupted)
    else if (this.progress?.mayStart?.() === false) controller.abort(tooLate)
    else if (this.progress !== undefined) SendProgress.written(this.progress)
  }

  onResponseStart(
    _: unknown,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): void {
    // An informational answer is followed by the real one.
    if (status < 200) return
    this.status = status
    this.headers = headers
    if (this.progress !== undefined) this.progress.received = this
  }

  onResponseData(controller: Undici.Dispatcher.DispatchController, chunk: Buffer): void {
    this.#received.add(chunk)
    if (this.size <= this.limit) return
    this.ending = "TooLarge"
    controller.abort(tooLarge(this.limit))
  }

  onResponseEnd(): void {
    this.ending = "Whole"
    // All of it has arrived, and may be broken or too large inside all the same.
    if (this.headers["content-encoding"] !== undefined) this.ending = this.body().failure ?? "Whole"
    this.#onEnd(this)
  }

  onResponseError(_: unknown, cause: unknown): void {
    if (this.ending === "Open") this.ending = "Cut"
    this.cause = cause
    this.#onEnd(this)
  }

  /** Nobody waits for it any more: what is under way is aborted, and what waits for a connection is never written. */
  interrupt(): void {
    this.#isInterrupted = true
    this.#controller?.abort(interrupted)
  }

  /** The body as far as it has arrived, with its encoding taken off: once, until more of it arrives. */
  body(): Decoded {
    const { size } = this.#received
    if (this.#body?.of !== size) this.#body = { of: size, decoded: this.#decoded() }
    return this.#body.decoded
  }

  get size(): number {
    return this.#received.size
  }

  text(): string {
    return utf8.decode(this.body().bytes)
  }

  /** How it ended, for Effect's clients. */
  result(
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> {
    if (this.status !== 0) return Effect.succeed((this.response = answerTo(request, this)))
    const reason = new HttpClientError.TransportError({ request, cause: this.cause })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  }

  #decoded(): Decoded {
    const raw = bufferOf(this.#received.all())
    const encoding = this.headers["content-encoding"]
    return encoding === undefined ? { bytes: raw, failure: undefined } : decoded(raw, String(encoding), this.limit)
  }
}

/** Statuses that `Response` takes no body with. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/** The answer for Effect's clients, with a body that gives what has arrived, and then fails where that is not all. */
const answerTo = (
  request: HttpClientRequest.HttpClientRequest,
  exchange: Exchange
): HttpClientResponse.HttpClientResponse => {
  const { cause, ending, headers, status } = exchange
  const { bytes } = exchange.body()
  const chunks = bytes.length > 0 ? [bytes] : []
  const body = new ReadableStream({
    pull(controller) {
      const chunk = chunks.pop()
      if (chunk !== undefined) controller.enqueue(chunk)
      else if (ending === "Whole") controller.close()
      else controller.error(cause ?? new Error("the body cannot be decoded"))
    }
  })
  const response = new Response(withoutBody.has(status) ? null : body, { status: Math.min(status, 599) })
  for (const [name, values = []] of Object.entries(headers)) {
    for (const value of Arr.ensure(values)) response.headers.append(name, value)
  }
  return HttpClientResponse.fromWeb(request, response)
}
