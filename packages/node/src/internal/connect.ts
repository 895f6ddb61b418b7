/** Opens the socket of a connection to an origin: TCP, and TLS for an https origin. Every connection begins here. */
import * as Net from "node:net"
import * as Tls from "node:tls"

/** The end of a connection. */
export interface Target {
  /** `https:` or `http:`. */
  readonly protocol: string
  readonly hostname: string
  /** Empty for the port of the protocol. */
  readonly port: string
  /** The protocols to offer in TLS, the preferred one first. */
  readonly alpn: ReadonlyArray<"h2" | "http/1.1">
}

/**
 * Opens a socket, and calls `onEnd` once: with the socket when it is ready, including TLS, or with the error. Returns a
 * function that ends an attempt early.
 */
export type Connect = (target: Target, onEnd: (result: Error | Net.Socket) => void) => () => void

/** The maximum duration of a TCP connection with TLS, in milliseconds. */
const connectTimeout = 10_000

/** Runs a function after a time in milliseconds, without a fiber. Returns a function that cancels it. */
export const after = (millis: number, run: () => void): (() => void) => {
  // oxlint-disable-next-line effecttsgo/global-timers -- a connection has no fiber.
  const timer = setTimeout(run, millis)
  return () => clearTimeout(timer)
}

const timedOut = () =>
  Object.assign(new Error(`no connection within ${connectTimeout} ms`), { code: "ETIMEDOUT", syscall: "connect" })

/** Makes the function that opens sockets. It resumes the last TLS session of a host, which saves half the handshake. */
export const make = (): Connect => {
  const sessions = new Map<string, Buffer>()

  const open = ({ alpn, hostname, port, protocol }: Target): Net.Socket => {
    const host = hostname.replace(/^\[(.*)\]$/, "$1")
    if (protocol !== "https:") return Net.connect({ host, port: Number(port || 80) })
    const key = `${host}:${port}`
    const session = sessions.get(key)
    const socket = Tls.connect({
      host,
      port: Number(port || 443),
      ALPNProtocols: [...alpn],
      ...(Net.isIP(host) === 0 ? { servername: host } : {}),
      ...(session === undefined ? {} : { session })
    })
    return socket.on("session", (next) => sessions.set(key, next))
  }

  return (target, onEnd) => {
    const socket = open(target)
    let isOver = false
    const end = (result: Error | Net.Socket) => {
      if (isOver) return
      isOver = true
      cancelTimeout()
      if (result !== socket) socket.destroy()
      onEnd(result)
    }
    const cancelTimeout = after(connectTimeout, () => end(timedOut()))
    socket.setKeepAlive(true, 60_000).setNoDelay(true)
    socket.on("error", end)
    socket.once(target.protocol === "https:" ? "secureConnect" : "connect", () => end(socket))
    return () => end(new Error("the connection is not needed any more"))
  }
}
