/** One exchange: the handler that a connection of HTTP/1.1 or HTTP/2 calls, and the answer that it collects. */
import * as Sender from "@effect-custody/core/siblings/Sender"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { decode, type Decoded } from "./contentEncoding.ts"

const utf8 = new TextDecoder()

/** The error of a request whose caller stopped waiting. Has no stack, because the stack would only show this file. */
const interrupted = Object.assign(new Error("the request was interrupted"), { stack: undefined })

/**
 * The error for a body that is larger than the limit. The connection is closed. The code is undici's code for this
 * error.
 */
const tooLarge = (limit: number) =>
  Object.assign(new Error(`the body is larger than ${limit} bytes`), { code: "UND_ERR_RES_EXCEEDED_MAX_SIZE" })

const noHeaders: Exchange["headers"] = {}

const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The part of undici's controller that an exchange uses. */
export interface Controller {
  readonly abort: (reason: Error) => void
}

/** Handles one exchange, and holds its state. The methods are undici's handler methods. */
export class Exchange implements Sender.Ended {
  readonly progress: Sender.SendProgress | undefined
  /** The maximum size of a body that is read, in bytes. */
  readonly limit: number
  status = 0
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> = noHeaders
  ending: Sender.Received["ending"] = "Open"
  cause: unknown
  readonly #onEnd: (exchange: Exchange) => void
  readonly #received: Sender.BodyBytes
  #body: { readonly of: number; readonly decoded: Decoded } | undefined
  #controller: Controller | undefined
  #isInterrupted = false

  constructor(progress: Sender.SendProgress | undefined, limit: number, onEnd: (exchange: Exchange) => void) {
    this.progress = progress
    this.limit = limit
    this.#received = Sender.collectBytes(limit)
    this.#onEnd = onEnd
    if (progress !== undefined) Sender.waiting(progress)
  }

  /**
   * Runs when the connection is ready, including TLS. The connection then writes the first byte, unless this method
   * aborts the request.
   */
  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#isInterrupted) controller.abort(interrupted)
    else if (this.progress?.mayStart?.() === false) controller.abort(Sender.tooLate)
    else if (this.progress !== undefined) this.progress.stage = "Written"
  }

  onResponseStart(
    _: unknown,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): void {
    // Skip an informational answer, because the final one follows it.
    if (status < 200) return
    this.status = status
    this.headers = headers
    if (this.progress !== undefined) this.progress.received = this
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#received.add(chunk)
    if (this.size <= this.limit) return
    this.ending = "TooLarge"
    controller.abort(tooLarge(this.limit))
  }

  onResponseEnd(): void {
    this.ending = "Whole"
    // A body that arrived whole may still fail to decode, or be too large once it is decoded.
    if (this.headers["content-encoding"] !== undefined) this.ending = this.body().failure ?? "Whole"
    this.#onEnd(this)
  }

  onResponseError(_: unknown, cause: unknown): void {
    if (this.ending === "Open") this.ending = "Cut"
    this.cause = cause
    this.#onEnd(this)
  }

  /** Ends the exchange. The request was handed to a connection, but the service has certainly not processed it. */
  refuse(cause: unknown): void {
    if (this.progress !== undefined) this.progress.stage = "Refused"
    this.onResponseError(undefined, cause)
  }

  /**
   * Aborts the request. If the request still waits for a connection, it is aborted when the connection is ready, before
   * its first byte is written.
   */
  interrupt(): void {
    this.#isInterrupted = true
    this.#controller?.abort(interrupted)
  }

  /** Decodes the part of the body that has arrived. Decodes again only after more has arrived. */
  body(): Decoded {
    const { size } = this.#received
    if (this.#body?.of !== size) this.#body = { of: size, decoded: this.#decode() }
    return this.#body.decoded
  }

  get size(): number {
    return this.#received.size
  }

  text(): string {
    return utf8.decode(this.body().bytes)
  }

  result(
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> {
    if (this.status !== 0) return Effect.succeed(toResponse(request, this))
    if (HttpClientError.isHttpClientError(this.cause)) return Effect.fail(this.cause)
    const reason = new HttpClientError.TransportError({ request, cause: this.cause })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  }

  #decode(): Decoded {
    const raw = toBuffer(this.#received.all())
    const encoding = this.headers["content-encoding"]
    return encoding === undefined ? { bytes: raw, failure: undefined } : decode(raw, String(encoding), this.limit)
  }
}

/** Statuses with which `Response` accepts no body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * The answer for Effect's HTTP client. Its body yields the part that has arrived, and then fails if the body is not
 * whole.
 */
const toResponse = (
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
