/**
 * An HTTP/2 server over TLS that writes its frames by hand, so that it can misbehave in any way. Its HPACK knows only what
 * the tests need.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AddressInfo, Socket } from "node:net"
import * as Tls from "node:tls"
import { trusted } from "./trusted.ts"

const types = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7 } as const

const frame = (type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const words = (...values: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, at) => bytes.writeUInt32BE(value, 4 * at))
  return bytes
}

const endStream = 1
const endHeaders = 4
const ack = 1

/** A literal of HPACK without an index. */
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, "latin1")
  const rest: Array<number> = []
  for (let left = bytes.length - 127; left >= 0; left >>= 7) {
    rest.push(left > 127 ? (left & 127) | 128 : left)
    if (left <= 127) break
  }
  return Buffer.concat([Buffer.from(bytes.length < 127 ? [bytes.length] : [127, ...rest]), bytes])
}

const field = (name: string, value: string): Buffer => Buffer.concat([Buffer.from([0]), text(name), text(value)])

/** The head of an answer, with `end` as its only frame. */
export const headers = (
  stream: number,
  status: number,
  {
    end = false,
    fields = []
  }: { readonly end?: boolean; readonly fields?: ReadonlyArray<readonly [string, string]> } = {}
): Buffer =>
  frame(
    types.headers,
    endHeaders | (end ? endStream : 0),
    stream,
    Buffer.concat([field(":status", String(status)), ...fields.map(([name, value]) => field(name, value))])
  )

export const data = (stream: number, body: string, end = true): Buffer =>
  frame(types.data, end ? endStream : 0, stream, Buffer.from(body))

export const reset = (stream: number, code: number): Buffer => frame(types.reset, 0, stream, words(code))

export const goaway = (last: number, code = 0): Buffer => frame(types.goaway, 0, 0, words(last, code))

/** The settings of the service. `3` is the maximum number of streams. */
export const settings = (entries: Readonly<Record<number, number>> = {}): Buffer =>
  frame(
    types.settings,
    0,
    0,
    Buffer.concat(
      Object.entries(entries).map(([name, value]) => {
        const bytes = Buffer.alloc(6)
        bytes.writeUInt16BE(Number(name))
        bytes.writeUInt32BE(value, 2)
        return bytes
      })
    )
  )

/** A connection of a client. */
export interface Connection {
  /** The number of the connection, from 1. */
  readonly nth: number
  readonly socket: Tls.TLSSocket
  readonly write: (...frames: ReadonlyArray<Buffer>) => void
  /** Resets the connection of TCP. */
  readonly cut: () => void
}

export interface FrameServer {
  readonly origin: string
  /** The number of connections. */
  readonly connections: () => number
  /** The number of requests that arrived whole. */
  readonly requests: () => number
  /** The GOAWAY frames of clients. */
  readonly farewells: () => number
  /** The number of connections that are open. */
  readonly open: () => number
}

interface Options {
  /** Acts on a request that arrived whole. `nth` counts the requests of its connection from 1. */
  readonly onRequest?: (connection: Connection, stream: number, nth: number) => void
  readonly onConnection?: (connection: Connection) => void
  /** The client has ended a stream with an error code. */
  readonly onReset?: (code: number) => void
  /** The client has read the settings. */
  readonly onSettled?: () => void
  readonly settings?: Buffer
  readonly answersPings?: boolean
}

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length

/** Listens on a free port of the loopback until the scope ends. */
export const frameServer = ({
  answersPings = true,
  onConnection,
  onRequest,
  onReset,
  onSettled,
  settings: own = settings()
}: Options): Effect.Effect<FrameServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Tls.TLSSocket>()
    let connections = 0
    let requests = 0
    let farewells = 0
    const raw = new Map<number | undefined, Socket>()
    const server = Tls.createServer({ ...trusted, ALPNProtocols: ["h2"] }, (socket) => {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => sockets.delete(socket))
      const write = (...frames: ReadonlyArray<Buffer>) => void socket.write(Buffer.concat(frames))
      const cut = () => raw.get(socket.remotePort)?.resetAndDestroy()
      const connection: Connection = { nth: ++connections, socket, write, cut }
      let received = Buffer.alloc(0)
      let skip = preface
      let nth = 0
      const read = (type: number, flags: number, stream: number, payload: Buffer) => {
        if (type === types.settings && (flags & ack) === 0) write(frame(types.settings, ack, 0))
        if (type === types.settings && (flags & ack) !== 0) onSettled?.()
        if (type === types.ping && (flags & ack) === 0 && answersPings) write(frame(types.ping, ack, 0, payload))
        if (type === types.goaway) farewells++
        if (type === types.reset) onReset?.(payload.readUInt32BE(0))
        if (type > types.headers || (flags & endStream) === 0) return
        requests++
        onRequest?.(connection, stream, ++nth)
      }
      socket.on("data", (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
        if (received.length < skip) return
        received = received.subarray(skip)
        skip = 0
        while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
          const length = received.readUIntBE(0, 3)
          read(received[3]!, received[4]!, received.readUInt32BE(5), received.subarray(9, 9 + length))
          received = received.subarray(9 + length)
        }
      })
      write(own)
      onConnection?.(connection)
    })
    server.on("connection", (socket) => raw.set(socket.remotePort, socket))
    server.on("tlsClientError", () => {})
    yield* Effect.addFinalizer(() =>
      Effect.callback<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
    )
    yield* Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    })
    return {
      origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      connections: () => connections,
      requests: () => requests,
      farewells: () => farewells,
      open: () => sockets.size
    }
  })
