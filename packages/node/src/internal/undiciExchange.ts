/**
 * One exchange on a connection of undici: a handler that undici calls, and the answer that it collects. Nothing is made
 * for an exchange that an answer of ordinary size does not need: no signal, no stream, no promise.
 */
import * as BodyBytes from "@effect-custody/core/BodyBytes"
import type * as Dispatch from "@effect-custody/core/Dispatch"
import * as SendProgress from "@effect-custody/core/SendProgress"
import type * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import { type Pipeable, pipeArguments } from "effect/Pipeable"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { decoded, type Decoded } from "./contentEncoding.ts"
import * as Informational from "./informational.ts"

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

/** How much of a body that announces more than the limit is read all the same: new tokens stand at the beginning. */
const beginning = 64 * 1024

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
  #informational = 0
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
    controller: Undici.Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): void {
    // An informational answer is followed by the real one.
    if (status < 200) {
      if (++this.#informational > Informational.most) controller.abort(Informational.tooMany)
      return
    }
    this.status = status
    this.headers = headers
    if (this.progress !== undefined) this.progress.received = this
  }

  onResponseData(controller: Undici.Dispatcher.DispatchController, chunk: Buffer): void {
    this.#received.add(chunk)
    const { size } = this.#received
    const announced = Number(this.headers["content-length"] ?? 0)
    if (size > this.limit || (announced > this.limit && size >= beginning)) this.#refuse(controller)
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
    if (this.status !== 0) return Effect.succeed((this.response = new Answer(request, this)))
    const reason = new HttpClientError.TransportError({ request, cause: this.cause })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  }

  #decoded(): Decoded {
    const raw = bufferOf(this.#received.all())
    const encoding = this.headers["content-encoding"]
    return encoding === undefined ? { bytes: raw, failure: undefined } : decoded(raw, String(encoding), this.limit)
  }

  #refuse(controller: Undici.Dispatcher.DispatchController): void {
    this.ending = "TooLarge"
    controller.abort(tooLarge(this.limit))
  }
}

/** Statuses that `Response` takes no body with. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/** The answer as Effect's clients know one. What is there already is given; the rest is left to the runtime's `Response`. */
class Answer extends Inspectable.Class implements HttpClientResponse.HttpClientResponse, Pipeable {
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly #exchange: Exchange
  #headers: Headers.Headers | undefined
  #web: HttpClientResponse.HttpClientResponse | undefined

  constructor(request: HttpClientRequest.HttpClientRequest, exchange: Exchange) {
    super()
    this.request = request
    this[HttpIncomingMessage.TypeId] = HttpIncomingMessage.TypeId
    this[HttpClientResponse.TypeId] = HttpClientResponse.TypeId
    this.#exchange = exchange
  }

  get status() {
    return this.#exchange.status
  }

  get headers() {
    return (this.#headers ??= Headers.fromInput(this.#exchange.headers))
  }

  get cookies() {
    const { headers } = this.#exchange
    return Cookies.fromSetCookie(headers["set-cookie"] ?? [])
  }

  get url() {
    return this.#asWeb.url
  }

  get remoteAddress(): Option.Option<string> {
    return Option.none()
  }

  get text() {
    const { ending } = this.#exchange
    return ending === "Whole" ? Effect.succeed(this.#exchange.text()) : Effect.fail(this.#incomplete)
  }

  get json() {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({
        // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- what every client of Effect does with a body.
        try: (): Schema.Json => (text === "" ? null : JSON.parse(text)),
        catch: (cause) => this.#error(cause)
      })
    )
  }

  get arrayBuffer() {
    return this.#asWeb.arrayBuffer
  }

  get urlParamsBody() {
    return this.#asWeb.urlParamsBody
  }

  get formData() {
    return this.#asWeb.formData
  }

  get stream() {
    return this.#asWeb.stream
  }

  get upgrade() {
    return this.#asWeb.upgrade
  }

  toJSON(): unknown {
    const { request, status } = this
    return HttpIncomingMessage.inspect(this, { _id: "HttpClientResponse", request: request.toJSON(), status })
  }

  pipe() {
    // oxlint-disable-next-line prefer-rest-params -- as every pipeable of Effect.
    return pipeArguments(this, arguments)
  }

  get #incomplete() {
    return this.#error(this.#exchange.cause ?? new Error("the body cannot be decoded"))
  }

  #error(cause: unknown) {
    const { request } = this
    const reason = new HttpClientError.DecodeError({ request, response: this, cause })
    return new HttpClientError.HttpClientError({ reason })
  }

  /** The same answer with a body that gives what has arrived, and then fails where that is not all. */
  get #asWeb() {
    if (this.#web !== undefined) return this.#web
    const { bytes } = this.#exchange.body()
    const failure = this.#exchange.ending === "Whole" ? undefined : this.#incomplete.reason.cause
    const body = new ReadableStream({
      pull(controller) {
        if (bytes.length > 0 && controller.desiredSize === 1) controller.enqueue(bytes)
        if (failure === undefined) controller.close()
        else if (Predicate.isNotUndefined(failure)) controller.error(failure)
      }
    })
    const { status } = this
    const response = new Response(withoutBody.has(status) ? null : body, { status: Math.min(status, 599) })
    for (const [name, value] of Object.entries(this.headers)) response.headers.append(name, value)
    return (this.#web = HttpClientResponse.fromWeb(this.request, response))
  }
}
