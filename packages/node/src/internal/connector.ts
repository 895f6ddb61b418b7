/**
 * Connects as undici does, and takes each `100 Continue` out of what a connection receives. HTTP allows a server to send
 * one unasked, and has clients ignore it (RFC 9110, 15.2.1); undici closes the connection instead, and the answer is lost.
 * A connection for one-time secrets also keeps the first bytes that it receives, and receives them even if undici's parser
 * gives up on the first of them.
 */
import * as SendProgress from "@effect-custody/core/SendProgress"
import type * as Undici from "@effect/platform-node/Undici"
import type { Socket } from "node:net"
import * as Informational from "./informational.ts"
import * as Unframed from "./unframed.ts"

const continued = "HTTP/1.1 100"

/** A head that is larger is let through; undici closes the connection. */
const largestHead = 64 * 1024

/** What follows the informational heads at the start; `undefined` while one of them has not arrived whole. */
const afterContinue = (received: Buffer): Buffer | undefined => {
  for (let rest = received, seen = 0; ; seen++) {
    const start = rest.toString("latin1", 0, continued.length)
    if (!continued.startsWith(start)) return rest
    const end = rest.indexOf("\r\n\r\n")
    if (end === -1) return rest.length > largestHead ? rest : undefined
    // Of too many, undici gets one, and closes the connection.
    if (seen === Informational.most) return rest
    rest = rest.subarray(end + 4)
  }
}

/** The request whose head undici writes next: it does so in the turn in which it has started the request. */
interface Next {
  progress: SendProgress.SendProgress | undefined
}

/** How much of an answer is kept, in bytes. */
const mostKept = 64 * 1024

/** How long more of an answer is waited for after undici's parser has given up on it, in milliseconds. */
const patience = 1_000

/** The errors with which undici closes a connection because of what it has received, by name. */
const errorsOfParser: ReadonlySet<string> = new Set([
  "HTTPParserError",
  "ResponseContentLengthMismatchError",
  "HeadersOverflowError",
  "SocketError"
])

/** Keeps the first bytes that a connection receives, and shows them to the request that is written to it. */
const keeping = (socket: Socket, next: Next): Socket => {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket)
  const destroy = socket.destroy.bind(socket)
  let kept: Array<Buffer> = []
  let size = 0
  let isGivenUp = false
  return Object.assign(socket, {
    write: (...args: Parameters<Socket["write"]>) => {
      if (typeof args[0] === "string" && next.progress !== undefined) {
        const mine: Array<Buffer> = []
        kept = mine
        size = 0
        next.progress.unframed = () => Unframed.read(Buffer.concat(mine))
      }
      return write(...args)
    },
    read: (bytes?: number): Buffer | null => {
      const chunk: Buffer | null = read(bytes)
      if (chunk !== null && size < mostKept) {
        kept.push(chunk)
        size += chunk.length
      }
      return isGivenUp ? null : chunk
    },
    destroy: (error?: Error) => {
      if (isGivenUp || socket.readableEnded || !errorsOfParser.has(error?.name ?? "")) return destroy(error)
      isGivenUp = true
      const end = () => destroy(error)
      // After a freeze the timer fires before what has arrived is read.
      // oxlint-disable-next-line effecttsgo/global-timers -- a socket is waited for, on no fiber.
      const timer = setTimeout(() => setImmediate(end), patience)
      socket.once("end", end)
      socket.once("close", () => clearTimeout(timer))
      return socket
    }
  })
}

/** undici takes what has arrived with `read`, and writes the head of a request as a string. */
const withoutContinue = (socket: Socket, next: Next): Socket => {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket)
  let isAtStart = true
  let held: Buffer = Buffer.alloc(0)
  return Object.assign(socket, {
    write: (...args: Parameters<Socket["write"]>) => {
      if (typeof args[0] === "string") isAtStart = true
      const written = write(...args)
      next.progress = undefined
      return written
    },
    read: (size?: number): Buffer | null => {
      for (;;) {
        const chunk: Buffer | null = read(size)
        if (chunk === null || !isAtStart) return chunk
        held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
        const rest = afterContinue(held)
        if (rest === undefined) continue
        isAtStart = false
        held = Buffer.alloc(0)
        return rest
      }
    }
  })
}

/** How long a connection may take to be made, in milliseconds. */
const connectTimeout = 10_000

/** How the connections of a client are made, and told which request is written to them. */
export interface Connector {
  /** The function that undici makes connections with. `keepsBytes`: for one-time secrets. */
  readonly connect: (keepsBytes: boolean) => Undici.buildConnector.connector
  /** undici is about to write a request: it writes the head as soon as this returns, before anything else happens. */
  readonly starting: (progress: SendProgress.SendProgress) => void
}

export const make = ({ buildConnector }: typeof Undici): Connector => {
  const next: Next = { progress: undefined }
  return {
    connect: (keepsBytes) => {
      const connect = buildConnector({ allowH2: false, timeout: connectTimeout })
      return (options, callback) =>
        connect(options, (...[error, socket]) => {
          if (error !== null) callback(error, null)
          else callback(null, withoutContinue(keepsBytes ? keeping(socket, next) : socket, next))
        })
    },
    starting: (progress) => {
      SendProgress.written(progress)
      next.progress = progress
    }
  }
}
