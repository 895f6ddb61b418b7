/**
 * A plain `node:http` server that writes down what it is sent, byte for byte, and answers as a test says. It knows
 * nothing of the SDK or of the service.
 */
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it came. */
export interface Received {
  readonly method: string
  /** The request target as it stood in the first line. */
  readonly target: string
  /** Names and values as they came, in their order and case, duplicates included. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

/** How to answer one request, which has been read whole. */
export type Answer = (response: Http.ServerResponse) => void

/** The values of a header, whatever its case. */
export const header = (request: Received, name: string): ReadonlyArray<string> =>
  request.headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)

/** A whole answer. */
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

/** A whole answer in JSON; a string is sent as it stands. */
export const json = (status: number, body: unknown, headers: Http.OutgoingHttpHeaders = {}): Answer =>
  text(status, "application/json; charset=utf-8", typeof body === "string" ? body : JSON.stringify(body), headers)

/** A whole answer in chunks. */
export const chunked =
  (status: number, chunks: ReadonlyArray<string>): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", "transfer-encoding": "chunked" })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  }

/** Nothing but these bytes on the socket, and then its end. */
export const bytes =
  (...lines: ReadonlyArray<string>): Answer =>
  ({ socket }) => {
    socket?.end(lines.join("\r\n"))
  }

/** These bytes on the socket, and then a reset of the connection. */
export const bytesThenReset =
  (...lines: ReadonlyArray<string>): Answer =>
  ({ socket }) => {
    // The bytes have to be gone before the reset, which throws away what has not been sent.
    socket?.write(lines.join("\r\n"), () => setTimeout(() => socket.resetAndDestroy(), 20))
  }

/** A reset of the connection, without an answer. */
export const reset: Answer = ({ socket }) => {
  socket?.resetAndDestroy()
}

/** No answer at all. */
export const silence: Answer = () => {}

export interface WireServer {
  readonly origin: string
  /** The base address that a client is given. */
  readonly baseUrl: string
  /** What came, in the order of its arrival. */
  readonly received: ReadonlyArray<Received>
  /** How many connections were made. */
  readonly connections: () => number
}

/** A server on the loopback, on a port of its own, until the scope is closed. */
export const wireServer = (
  answer: (request: Received, index: number) => Answer,
  options: {
    /** Every connection is reset before anything is read from it. */
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
