/**
 * Opens the socket of a connection to an origin: TCP, directly or through a proxy, and TLS for an https origin. Every
 * connection begins here.
 */
import * as Net from "node:net"
import * as Tls from "node:tls"
import { bareHost, type Egress } from "./egress.ts"
import type * as Tunnel from "./tunnel.ts"

/** The endpoint to connect to. */
export interface Target {
  /** `https:` or `http:`. */
  readonly protocol: string
  readonly hostname: string
  /** Empty for the protocol's default port. */
  readonly port: string
  /** The protocols to offer in TLS, the preferred one first. */
  readonly alpn: ReadonlyArray<"h2" | "http/1.1">
}

/**
 * Opens a socket, and calls `onEnd` once: with the socket when it is ready, including TLS, or with the error. Returns a
 * function that ends an attempt early.
 */
export type Connect = (target: Target, onEnd: (result: Error | Net.Socket) => void) => () => void

/** The maximum time to open a connection, including TLS, in milliseconds. */
const connectTimeout = 10_000

/** Runs a function after a time in milliseconds, without a fiber. Returns a function that cancels it. */
export const after = (millis: number, run: () => void): (() => void) => {
  // oxlint-disable-next-line effecttsgo/global-timers -- a connection has no fiber.
  const timer = setTimeout(run, millis)
  return () => clearTimeout(timer)
}

const timedOut = () =>
  Object.assign(new Error(`no connection within ${connectTimeout} ms`), { code: "ETIMEDOUT", syscall: "connect" })

/**
 * Makes the function that opens sockets. The function resumes the last TLS session of a host, which saves half the
 * handshake.
 */
export const make = ({ proxyFor, secureContext }: Egress, tunnel: typeof Tunnel | undefined): Connect => {
  const sessions = new Map<string, Buffer>()

  /** Begins TLS with a host, over `socket` if that is a tunnel to the host. */
  const startTls = (host: string, port: number, alpn: Target["alpn"], socket?: Net.Socket): Net.Socket => {
    const key = `${host}:${port}`
    const session = sessions.get(key)
    return Tls.connect({
      ...(socket === undefined ? { host, port } : { socket }),
      ALPNProtocols: [...alpn],
      ...(Net.isIP(host) === 0 ? { servername: host } : { host }),
      ...(session === undefined ? {} : { session }),
      ...(secureContext === undefined ? {} : { secureContext })
    }).on("session", (next) => sessions.set(key, next))
  }

  return ({ alpn, hostname, port: text, protocol }, onEnd) => {
    const isSecure = protocol === "https:"
    const host = bareHost(hostname)
    const port = Number(text || (isSecure ? 443 : 80))
    let isOver = false
    let cancel = () => {}
    const end = (result: Error | Net.Socket) => {
      if (isOver) return
      isOver = true
      cancelTimeout()
      if (result instanceof Error) cancel()
      onEnd(result)
    }
    const cancelTimeout = after(connectTimeout, () => end(timedOut()))
    const follow = (socket: Net.Socket) => {
      cancel = () => socket.destroy()
      socket.setKeepAlive(true, 60_000).setNoDelay(true)
      socket.on("error", end)
      socket.once(isSecure ? "secureConnect" : "connect", () => end(socket))
    }
    const proxy = isSecure ? proxyFor(host, port) : undefined
    if (proxy !== undefined && tunnel !== undefined) {
      cancel = tunnel.open(proxy, secureContext, { host, port }, (opened) => {
        if (opened instanceof Error) end(opened)
        else if (isOver) opened.destroy()
        else follow(startTls(host, port, alpn, opened))
      })
    } else follow(isSecure ? startTls(host, port, alpn) : Net.connect({ host, port }))
    return () => end(new Error("the connection is not needed any more"))
  }
}
