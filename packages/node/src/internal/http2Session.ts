/**
 * One connection of HTTP/2. Each answer belongs to one stream, so writes can share the connection. The service says
 * which streams it has not processed: with `REFUSED_STREAM`, or with the last stream of a GOAWAY. Such a request was
 * certainly not processed. Every other request without an answer may have been processed.
 */
import { isHeaderText } from "@effect-custody/core/Text"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Http2 from "node:http2"
import type { Socket } from "node:net"
import { after } from "./connect.ts"
import type { Controller, Exchange } from "./exchange.ts"
import type { Outgoing } from "./outgoing.ts"

const { NGHTTP2_CANCEL, NGHTTP2_HTTP_1_1_REQUIRED, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = Http2.constants

/** The type of the frame that begins a request. */
const headersFrame = 1

/** The streams that a service allows before its settings arrive, as the standard recommends. */
const initialStreams = 100

const settings: Http2.ClientSessionOptions = {
  settings: { enablePush: false, initialWindowSize: 1024 * 1024, maxHeaderListSize: 256 * 1024 },
  // The maximum number of an answer's headers. Node's own limit is 128.
  maxHeaderListPairs: 1_000
}

/** The flow-control window of one connection in bytes. Many answers share it. */
const connectionWindow = 8 * 1024 * 1024

/** A connection that has received nothing for this time, in milliseconds, is checked with a PING before use. */
const quietTime = 5_000

/** The maximum wait for the answer to a PING, in milliseconds. */
const pingTimeout = 5_000

/** Connection-specific headers, which HTTP/2 forbids. */
const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade"
])

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

/** A cache of header names in lower case. `undefined` for a name that is not valid. */
const names = new Map<string, string | undefined>()

const toName = (name: string): string | undefined => {
  if (names.has(name)) return names.get(name)
  const lower = /^[!#$%&'*+\-.^_`|~\da-z]+$/i.test(name) ? name.toLowerCase() : undefined
  if (names.size < 1_000) names.set(name, lower)
  return lower
}

/** Makes the frames of a request. Returns an error if a header is not valid. */
const toFrames = (authority: string, { body, headers, method, path }: Outgoing) => {
  const fields: Http2.OutgoingHttpHeaders = {
    ":method": method,
    ":path": path,
    ":scheme": "https",
    ":authority": authority
  }
  for (let at = 0; at < headers.length; at += 2) {
    const name = toName(headers[at]!)
    const value = headers[at + 1]!
    if (name === undefined || (value !== "" && !isHeaderText(value))) {
      return failure("ERR_INVALID_CHAR", "a header of the request is not valid")
    }
    if (name === "host") fields[":authority"] = value
    if (!connectionHeaders.has(name)) fields[name] = value
  }
  if (body instanceof Uint8Array) fields["content-length"] = String(body.byteLength)
  else if (body === null && method !== "GET" && method !== "HEAD") fields["content-length"] = "0"
  return { fields, body }
}

export interface Session extends ReturnType<typeof make> {}

/** The callbacks of a connection. */
export interface Listener {
  /** A stream or a setting has changed, so that a waiting request may start. */
  readonly onChange: () => void
  /** No request may use the connection any more. */
  readonly onRetired: () => void
  /** The service has asked for HTTP/1.1. */
  readonly onHttp1Required: () => void
}

/** Makes a connection from a socket whose TLS has chosen HTTP/2. */
export const make = (origin: string, socket: Socket, clock: Clock.Clock, listener: Listener) => {
  const session = Http2.connect(origin, { ...settings, createConnection: () => socket })
  const authority = new URL(origin).host
  let isRetired = false
  let isChecking = false
  let wasUsed = false
  let heardAt = clock.currentTimeMillisUnsafe()
  let open = 0
  let maxStreams = initialStreams
  /** The last stream that the service has processed or may process. */
  let lastId = Number.POSITIVE_INFINITY
  /** After a GOAWAY with an error, Node reports that error as the end of every stream. */
  let hasFailed = false

  const heard = () => {
    heardAt = clock.currentTimeMillisUnsafe()
  }
  /** Ends the connection after its last stream. */
  const retire = () => {
    if (isRetired) return
    isRetired = true
    session.close()
    listener.onRetired()
  }

  session.once("connect", () => {
    session.setLocalWindowSize(connectionWindow)
    listener.onChange()
    if (open === 0) session.unref()
  })
  session.on("remoteSettings", ({ maxConcurrentStreams = Number.POSITIVE_INFINITY }) => {
    maxStreams = maxConcurrentStreams
    heard()
    listener.onChange()
  })
  session.on("goaway", (code, last) => {
    lastId = Math.min(lastId, last)
    if (code !== NGHTTP2_NO_ERROR) hasFailed = true
    if (code === NGHTTP2_HTTP_1_1_REQUIRED) listener.onHttp1Required()
    retire()
  })
  // Ignore the error here, because each stream reports it.
  session.on("error", () => {})
  session.on("close", retire)

  /** Sends a request. Calls `onEnd` when its stream is closed. Returns `false` if nothing was sent. */
  const send = (request: Outgoing, exchange: Exchange, onEnd: () => void): boolean => {
    let aborted: Error | undefined
    let stream: Http2.ClientHttp2Stream | undefined
    const controller = {
      abort: (reason: Error) => {
        aborted ??= reason
        stream?.close(NGHTTP2_CANCEL)
      }
    }
    const unsent = (cause: unknown) => {
      exchange.onResponseError(controller, cause)
      return false
    }
    const frames = toFrames(authority, request)
    if (frames instanceof Error) return unsent(frames)
    exchange.onRequestStart(controller)
    if (aborted !== undefined) return unsent(aborted)
    try {
      stream = session.request(frames.fields, { endStream: frames.body === null })
    } catch (cause) {
      exchange.refuse(cause)
      return false
    }
    wasUsed = true
    if (open++ === 0) session.ref()
    follow(stream, request, exchange, controller, () => aborted, onEnd)
    const { body } = frames
    if (body instanceof Uint8Array) stream.end(body)
    else if (body !== null) body.on("error", controller.abort).pipe(stream)
    return true
  }

  /** Passes the events of a stream on to its exchange. */
  const follow = (
    stream: Http2.ClientHttp2Stream,
    request: Outgoing,
    exchange: Exchange,
    controller: Controller,
    aborted: () => Error | undefined,
    onEnd: () => void
  ) => {
    let hasAnswer = false
    let isUnsent = false
    let isWhole = false
    let error: unknown
    let length: string | undefined

    /** `true` if the service has certainly not processed the request. */
    const isRefused = (): boolean => {
      if (hasAnswer) return false
      if (isUnsent || stream.id === undefined || stream.id > lastId) return true
      return stream.rstCode === NGHTTP2_REFUSED_STREAM && !hasFailed
    }
    const fail = () => {
      // For every other code, Node reports an error.
      const name = stream.rstCode === NGHTTP2_CANCEL ? "HTTP2_CANCEL" : "HTTP2_NO_ERROR"
      if (isRefused()) exchange.refuse(failure("HTTP2_REFUSED_STREAM", "the service has not processed the request"))
      else
        exchange.onResponseError(controller, aborted() ?? error ?? failure(name, `the stream was closed with ${name}`))
    }

    stream.on("response", (headers) => {
      heard()
      hasAnswer = true
      const status = headers[":status"] ?? 0
      delete headers[":status"]
      // A HEAD answer or a 304 may announce a body that it does not have.
      if (request.method !== "HEAD" && status !== 304) length = headers["content-length"]
      // The service refuses this origin on this connection.
      if (status === 421) retire()
      exchange.onResponseStart(controller, status, headers)
    })
    // An informational answer counts as an answer.
    stream.on("headers", () => {
      hasAnswer = true
    })
    stream.on("data", (chunk: Buffer) => {
      heard()
      exchange.onResponseData(controller, chunk)
    })
    stream.on("end", () => {
      // Node also ends a stream that was reset.
      if (stream.destroyed || stream.rstCode !== NGHTTP2_NO_ERROR || !hasAnswer) return
      if (length !== undefined && Number(length) !== exchange.size) return
      heard()
      isWhole = true
      if (!stream.writableFinished) stream.close(NGHTTP2_CANCEL)
      exchange.onResponseEnd()
    })
    stream.on("frameError", (type) => {
      if (type === headersFrame) isUnsent = true
    })
    stream.on("error", (reason) => {
      error = reason
    })
    stream.on("close", () => {
      if (--open === 0 && !isChecking) session.unref()
      if (stream.rstCode === NGHTTP2_HTTP_1_1_REQUIRED) listener.onHttp1Required()
      onEnd()
      if (!isWhole) fail()
      listener.onChange()
    })
  }

  return {
    /** `true` if a request may use the connection now or later. */
    isOpen: () => !isRetired && !session.closed && !session.destroyed,
    /** `true` if the service allows one more stream. */
    hasRoom: () => !session.connecting && open < maxStreams,
    /** `true` if something arrived a short time ago, so that no PING is needed. */
    isFresh: () => Math.abs(clock.currentTimeMillisUnsafe() - heardAt) < quietTime,
    /** `true` once a request was sent. */
    wasUsed: () => wasUsed,
    send,
    /** Sends a PING, and destroys the connection if no answer comes. */
    check: () => {
      if (isChecking) return
      isChecking = true
      session.ref()
      const dead = () => session.destroy(failure("HTTP2_PING_TIMEOUT", `no answer to a PING within ${pingTimeout} ms`))
      // After a freeze of the process, the timer may fire before the answer is read. So the sockets get one more turn.
      let cancel = after(pingTimeout, () => {
        cancel = after(100, dead)
      })
      session.ping((error) => {
        cancel()
        isChecking = false
        if (open === 0) session.unref()
        if (error !== null) return dead()
        heard()
        listener.onChange()
      })
    },
    retire,
    /** Ends the connection at once. */
    close: Effect.callback<void>((resume) => {
      const done = () => {
        cancel()
        resume(Effect.void)
      }
      const cancel = after(1_000, () => socket.destroy())
      if (session.destroyed) return done()
      session.once("close", done)
      retire()
      if (open > 0) session.destroy(failure("HTTP2_SESSION_CLOSED", "the client was closed"), NGHTTP2_CANCEL)
    })
  }
}
