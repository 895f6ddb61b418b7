/**
 * A `node:http` server that records its requests byte for byte and answers by a function. It knows neither the SDK nor the
 * service.
 */
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

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
    response.writeHead(status, { "content-type": "application/json", "transfer-encoding": "chunked" })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  }

/** Sends only these bytes, and then ends the connection. */
export const bytes =
  (...lines: ReadonlyArray<string>): Answer =>
  ({ socket }) => {
    socket?.end(lines.join("\r\n"))
  }

/** Sends these bytes, and then resets the connection. */
export const bytesThenReset =
  (...lines: ReadonlyArray<string>): Answer =>
  ({ socket }) => {
    // The bytes must leave before the reset, which drops unsent data.
    socket?.write(lines.join("\r\n"), () => setTimeout(() => socket.resetAndDestroy(), 20))
  }

/** Resets the connection without an answer. */
export const reset: Answer = ({ socket }) => {
  socket?.resetAndDestroy()
}

/** Never answers. */
export const silence: Answer = () => {}

export interface WireServer {
  readonly origin: string
  /** The base address for a client. */
  readonly baseUrl: string
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
    Effect.callback<readonly [Http.Server, WireServer]>((resume) => {
      const received: Array<Received> = []
      let connections = 0
      const server = Http.createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { rawHeaders } = request
          const whole: Received = {
            method: request.method ?? "",
            target: request.url ?? "",
            headers: rawHeaders.flatMap((name, at) =>
              at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as const] : []
            ),
            body: Buffer.concat(chunks).toString("utf8")
          }
          const index = received.push(whole) - 1
          answer(whole, index)(response)
        })
      })
      server.on("connection", (socket) => {
        connections++
        if (options.resetsConnections === true) socket.resetAndDestroy()
      })
      server.listen(0, "127.0.0.1", () => {
        const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const wire: WireServer = {
          origin,
          baseUrl: `${origin}/api/integration`,
          received,
          connections: () => connections
        }
        resume(Effect.succeed([server, wire] as const))
      })
    }),
    ([server]) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map(([, wire]) => wire))
