/**
 * A server of Node, for HTTP/1.1 and for HTTP/2 over TLS, that records its requests byte for byte and answers by a
 * function. It knows neither the SDK nor the service.
 */
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import * as Http2 from "node:http2"
import type { AddressInfo, Server, Socket } from "node:net"
import { trusted } from "./trusted.ts"

/** A received request. */
export interface Received {
  readonly method: string
  /** The request target of the first line. */
  readonly target: string
  /** The received names and values in their order and case, with duplicates. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

/** Answers a completely read request. */
export type Answer = (response: Http.ServerResponse) => void

/** The values of a header in any case. */
export const header = (request: Received, name: string): ReadonlyArray<string> =>
  request.headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)

/** A complete answer. */
export const text =
  (status: number, contentType: string, body: string | Uint8Array, headers: Http.OutgoingHttpHeaders = {}): Answer =>
  (response) => {
    response.writeHead(status, {
      "content-type": contentType,
      "content-length": Buffer.byteLength(body),
      ...headers
    })
    response.end(body)
  }

/** A complete answer in JSON. A string is sent unchanged. */
export const json = (status: number, body: unknown, headers: Http.OutgoingHttpHeaders = {}): Answer =>
  text(status, "application/json; charset=utf-8", typeof body === "string" ? body : JSON.stringify(body), headers)

/** A complete answer in chunks. */
export const chunked =
  (status: number, chunks: ReadonlyArray<string>): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  }

/** The session of an answer over HTTP/2. */
const http2Session = (response: Http.ServerResponse) =>
  (response as unknown as Partial<Http2.Http2ServerResponse>).stream?.session

/** Sends only these bytes, and then ends the connection. Over HTTP/2, only ends the connection. */
export const bytes =
  (...lines: ReadonlyArray<string>): Answer =>
  (response) => {
    const session = http2Session(response)
    if (session === undefined) response.socket?.end(lines.join("\r\n"))
    else session.destroy()
  }

/** Sends these bytes, and then resets the connection. Over HTTP/2, only ends the connection. */
export const bytesThenReset =
  (...lines: ReadonlyArray<string>): Answer =>
  (response) => {
    const { socket } = response
    if (http2Session(response) !== undefined) return reset(response)
    // The bytes must leave before the reset, which drops unsent data.
    socket?.write(lines.join("\r\n"), () => setTimeout(() => socket.resetAndDestroy(), 20))
  }

/** Ends the connection without an answer; over HTTP/1.1, with a reset. */
export const reset: Answer = (response) => {
  const session = http2Session(response)
  if (session === undefined) response.socket?.resetAndDestroy()
  else session.destroy()
}

/** Never answers. */
export const silence: Answer = () => {}

export interface WireServer {
  readonly origin: string
  /** The base address for a client. */
  readonly baseUrl: string
  /** The origin of HTTP/2. */
  readonly secureOrigin: string
  /** The requests in order of arrival. */
  readonly received: ReadonlyArray<Received>
  /** The number of connections. */
  readonly connections: () => number
}

/** Starts a server on a free port of the loopback until the scope ends. */
export const wireServer = (
  answer: (request: Received, index: number) => Answer,
  options: {
    /** Resets every connection before reading from it. */
    readonly resetsConnections?: boolean
  } = {}
): Effect.Effect<WireServer, never, import("effect/Scope").Scope> =>
  Effect.acquireRelease(
    Effect.callback<readonly [() => Promise<unknown>, WireServer]>((resume) => {
      const received: Array<Received> = []
      let connections = 0
      const onRequest: Http.RequestListener = (request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { rawHeaders } = request
          const whole: Received = {
            method: request.method ?? "",
            target: request.url ?? "",
            headers: rawHeaders.flatMap((name, at) =>
              at % 2 === 0 && !name.startsWith(":") ? [[name, rawHeaders[at + 1] ?? ""] as const] : []
            ),
            body: Buffer.concat(chunks).toString("utf8")
          }
          const index = received.push(whole) - 1
          answer(whole, index)(response)
        })
      }
      const onConnection = (socket: Socket) => {
        connections++
        if (options.resetsConnections === true) socket.resetAndDestroy()
      }
      const plain = Http.createServer(onRequest)
      const sessions = new Set<Http2.ServerHttp2Session>()
      // A request and an answer of HTTP/2 have the members of those of HTTP/1.1 that are used here.
      const secure = Http2.createSecureServer(
        trusted,
        onRequest as unknown as Parameters<typeof Http2.createSecureServer>[1]
      )
      secure.on("session", (session) => {
        sessions.add(session)
        session.on("error", () => {})
        session.on("close", () => sessions.delete(session))
      })
      for (const server of [plain, secure]) server.on("connection", onConnection)
      const portOf = (server: Server) => (server.address() as AddressInfo).port
      const close = () => {
        plain.closeAllConnections()
        for (const session of sessions) session.destroy()
        return Promise.all([plain, secure].map((server) => new Promise((closed) => server.close(closed))))
      }
      plain.listen(0, "127.0.0.1", () =>
        secure.listen(0, "127.0.0.1", () => {
          const origin = `http://127.0.0.1:${portOf(plain)}`
          const wire: WireServer = {
            origin,
            baseUrl: `${origin}/api/integration`,
            secureOrigin: `https://127.0.0.1:${portOf(secure)}`,
            received,
            connections: () => connections
          }
          resume(Effect.succeed([close, wire] as const))
        })
      )
    }),
    ([close]) => Effect.promise(close)
  ).pipe(Effect.map(([, wire]) => wire))
