/** HTTP/1.1 over undici. Loaded when the first request needs it, because undici takes long to load. */
import Undici from "@effect/platform-node/Undici"
import type { Connect } from "./connect.ts"
import type { Exchange } from "./exchange.ts"
import type { Outgoing } from "./outgoing.ts"

/** The requests that may reuse a connection. */
export type Reuse = "reads" | "all" | "none"

/** The options of HTTP/1.1. */
export interface Options {
  /** The maximum number of open connections of each kind to an origin. Further requests wait for a connection. */
  readonly connections: number
  readonly reuse: Reuse
}

/**
 * The maximum size of an answer's head, in bytes. With Node's own limit of 16 KB, a proxy's cookies could make the
 * client lose an answer.
 */
const maxHeaderSize = 256 * 1024

/** Sends requests over HTTP/1.1. */
export interface Http1 {
  readonly dispatch: (request: Outgoing, exchange: Exchange) => void
  readonly destroy: () => Promise<unknown>
}

/**
 * Makes three agents: for reads, for writes and for the authentication endpoints. By default, each write opens a new
 * connection, because a reused connection may deliver a stray response, which would count as the answer to the write.
 * The service may also be about to close a reused connection as idle. The authentication endpoints have an agent of
 * their own, so that a refresh never queues behind calls that wait for its token.
 */
export const make = ({ connections, reuse }: Options, connect: Connect): Http1 => {
  const options = {
    connections,
    connect: (
      { hostname, port, protocol }: Undici.buildConnector.Options,
      callback: Undici.buildConnector.Callback
    ) => {
      connect({ hostname, port: port ?? "", protocol, alpn: ["http/1.1"] }, (result) =>
        result instanceof Error ? callback(result, null) : callback(null, result)
      )
    },
    maxHeaderSize,
    allowH2: false,
    // The caller sets the time limits.
    headersTimeout: 0,
    bodyTimeout: 0
  }
  // `pipelining: 1` sends one request at a time on a connection; 0 opens a connection for each request.
  const makeAgent = (isKept: boolean) => new Undici.Agent({ ...options, pipelining: isKept ? 1 : 0 })
  const agents = {
    reads: makeAgent(reuse !== "none"),
    writes: makeAgent(reuse === "all"),
    tokens: makeAgent(false)
  }
  return {
    dispatch: ({ body, headers, kind, method, origin, path }, exchange) => {
      agents[kind].dispatch({ origin, path, method, headers, body }, exchange)
    },
    destroy: () => Promise.all(Object.values(agents).map((agent) => agent.destroy()))
  }
}
