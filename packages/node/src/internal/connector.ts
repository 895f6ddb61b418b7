/**
 * Connects as undici does, and takes each `100 Continue` out of what a connection receives. HTTP allows a server to send
 * one unasked, and has clients ignore it (RFC 9110, 15.2.1); undici closes the connection instead, and the answer is lost.
 */
import type * as Undici from "@effect/platform-node/Undici"
import type { Socket } from "node:net"
import * as Informational from "./informational.ts"

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

/** undici takes what has arrived with `read`, and writes the head of a request as a string. */
const withoutContinue = (socket: Socket): Socket => {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket)
  let isAtStart = true
  let held: Buffer = Buffer.alloc(0)
  return Object.assign(socket, {
    write: (...args: Parameters<Socket["write"]>) => {
      if (typeof args[0] === "string") isAtStart = true
      return write(...args)
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

/** The function that undici makes connections with. */
export const make = ({ buildConnector }: typeof Undici): Undici.buildConnector.connector => {
  const connect = buildConnector({ allowH2: false, timeout: connectTimeout })
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) callback(error, null)
      else callback(null, withoutContinue(socket))
    })
}
