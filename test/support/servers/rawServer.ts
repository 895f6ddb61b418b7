/** A server on a bare socket, for behavior that no HTTP server has. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Net from "node:net"
import type { AddressInfo } from "node:net"
import * as Tls from "node:tls"

/** Handles a connection. Called again for each received piece. */
export type Behaviour = (socket: Net.Socket, received: { readonly text: string; readonly connection: number }) => void

export interface RawServer {
  readonly port: number
  /** The number of connections. */
  readonly connections: () => number
  /** The received data of all connections in order of arrival. */
  readonly received: () => string
  /** The number of requests that began to arrive. */
  readonly requests: () => number
}

interface Options {
  /** Handles each received piece. */
  readonly onData?: Behaviour
  /** Handles a new connection. */
  readonly onConnection?: (socket: Net.Socket) => void
  readonly tls?: { readonly key: string; readonly cert: string }
}

const listen = (server: Net.Server) =>
  Effect.callback<number>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })

/** Listens on a free port of the loopback until the scope ends. */
export const rawServer = ({ onConnection, onData, tls }: Options): Effect.Effect<RawServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Net.Socket>()
    let connections = 0
    let received = ""
    const accept = (socket: Net.Socket) => {
      const connection = ++connections
      let text = ""
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => sockets.delete(socket))
      onConnection?.(socket)
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1")
        text += chunk.toString("latin1")
        onData?.(socket, { text, connection })
      })
    }
    const server = tls === undefined ? Net.createServer(accept) : Tls.createServer(tls, accept)
    server.on("tlsClientError", () => {})
    yield* Effect.addFinalizer(() =>
      Effect.callback<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
    )
    const port = yield* listen(server)
    return {
      port,
      connections: () => connections,
      received: () => received,
      requests: () => received.split(" HTTP/1.1\r\n").length - 1
    }
  })

/** `true` if a text holds a whole request with a body of the announced length. */
export const isWhole = (text: string): boolean => {
  const end = text.indexOf("\r\n\r\n")
  if (end === -1) return false
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
  return text.length >= end + 4 + length
}
