/** Opens a tunnel through a proxy. Loaded only if there is a proxy. */
import * as Redacted from "effect/Redacted"
import * as Http from "node:http"
import * as Https from "node:https"
import { isIP, type Socket } from "node:net"
import type { SecureContext } from "node:tls"
import type { Proxy } from "./egress.ts"

/**
 * An error of the proxy, with a code such as `PROXY_407` or `PROXY_ECONNREFUSED`. It has no cause, because the cause could
 * hold the proxy's answer.
 */
const failure = (code: string | number) =>
  Object.assign(new Error(`the proxy opened no tunnel: ${code}`), { code: `PROXY_${code}` })

/**
 * Asks the proxy for a connection to a host, and calls `onEnd` once. The host receives nothing before the tunnel is open.
 * Returns a function that ends the attempt.
 */
export const open = (
  { authorization, host: proxyHost, isSecure, port: proxyPort }: Proxy,
  secureContext: SecureContext | undefined,
  { host, port }: { readonly host: string; readonly port: number },
  onEnd: (result: Error | Socket) => void
): (() => void) => {
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const request = (isSecure ? Https : Http).request({
    host: proxyHost,
    port: proxyPort,
    method: "CONNECT",
    path,
    agent: false,
    headers: {
      host: path,
      ...(authorization === undefined ? {} : { "proxy-authorization": Redacted.value(authorization) })
    },
    ...(isSecure && secureContext !== undefined ? { secureContext } : {})
  })
  request.once("connect", ({ statusCode = 0 }, socket: Socket, head) => {
    // The host sends nothing before TLS begins. So if bytes follow the head, there is no tunnel.
    if (statusCode >= 200 && statusCode < 300 && head.length === 0) return onEnd(socket)
    socket.destroy()
    onEnd(failure(statusCode))
  })
  request.on("error", (error: NodeJS.ErrnoException) => onEnd(failure(error.code ?? "FAILED")))
  request.end()
  return () => request.destroy()
}
