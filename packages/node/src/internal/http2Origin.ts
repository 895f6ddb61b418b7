/** The connections to an https origin. ALPN chooses between HTTP/2 and HTTP/1.1 on each new connection. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { TLSSocket } from "node:tls"
import type { Connect } from "./connect.ts"
import type { Exchange } from "./exchange.ts"
import * as Http2Session from "./http2Session.ts"
import type { Outgoing } from "./outgoing.ts"

/** Sends a request, now or when a connection is ready. */
export type Send = (request: Outgoing, exchange: Exchange) => void

interface Options {
  readonly clock: Clock.Clock
  readonly connect: Connect
  /** The maximum number of concurrent requests of each kind to an origin. Further requests wait. */
  readonly connections: number
  readonly sendHttp1: Send
}

interface Waiting {
  readonly request: Outgoing
  readonly exchange: Exchange
}

export interface Http2Origin {
  readonly send: Send
  readonly close: Effect.Effect<void>
}

const unused = { abort: () => {} }

const sharedKinds = ["writes", "reads"] as const

const closedEarly = Object.assign(new Error("the service closed a connection before a request could be sent"), {
  code: "HTTP2_SESSION_CLOSED"
})

/**
 * Makes the connections to an origin: one for reads and writes, and one for each request to an authentication endpoint,
 * so that a refresh never waits for calls. If the shared connection is full, requests wait. When that connection is
 * retired, its streams may finish, and the next request opens a new connection.
 */
export const make = (origin: string, { clock, connect, connections, sendHttp1 }: Options): Http2Origin => {
  const { hostname, port, protocol } = new URL(origin)
  const sessions = new Set<Http2Session.Session>()
  const connecting = new Set<() => void>()
  const waiting = { reads: [] as Array<Waiting>, writes: [] as Array<Waiting> }
  const open = { reads: 0, writes: 0 }
  let current: Http2Session.Session | undefined
  let isConnecting = false
  let isHttp1 = false

  const requireHttp1 = () => {
    isHttp1 = true
  }

  /** Opens a connection. Passes `undefined` to `onEnd` if the origin chooses HTTP/1.1. */
  const openSession = (
    listener: (session: Http2Session.Session) => Pick<Http2Session.Listener, "onChange" | "onRetired">,
    onEnd: (result: Error | Http2Session.Session | undefined) => void
  ) => {
    const cancel = connect({ hostname, port, protocol, alpn: ["h2", "http/1.1"] }, (result) => {
      connecting.delete(cancel)
      if (result instanceof Error) return onEnd(result)
      if (!(result instanceof TLSSocket) || result.alpnProtocol !== "h2") {
        result.destroy()
        isHttp1 = true
        return onEnd(undefined)
      }
      const session: Http2Session.Session = Http2Session.make(origin, result, clock, {
        onChange: () => listener(session).onChange(),
        onRetired: () => listener(session).onRetired(),
        onHttp1Required: requireHttp1
      })
      sessions.add(session)
      onEnd(session)
    })
    connecting.add(cancel)
  }

  const start = (session: Http2Session.Session, kind: "reads" | "writes", { exchange, request }: Waiting) => {
    open[kind]++
    const onEnd = () => {
      open[kind]--
    }
    if (!session.send(request, exchange, onEnd)) onEnd()
  }

  const takeWaiting = () => sharedKinds.flatMap((kind) => waiting[kind].splice(0))

  const failWaiting = (cause: Error) => {
    for (const { exchange } of takeWaiting()) exchange.onResponseError(unused, cause)
  }

  /** The connection on which a request may start now, if there is one. */
  const roomFor = (kind: "reads" | "writes") =>
    open[kind] < connections && current?.isOpen() === true && current.isFresh() && current.hasRoom()
      ? current
      : undefined

  /** Starts the waiting requests for which there is room, and opens or checks a connection for the others. */
  const drain = () => {
    if (isHttp1) {
      for (const { exchange, request } of takeWaiting()) sendHttp1(request, exchange)
      return
    }
    for (const kind of sharedKinds) {
      while (waiting[kind].length > 0) {
        const session = roomFor(kind)
        if (session === undefined) break
        start(session, kind, waiting[kind].shift()!)
      }
    }
    if (waiting.reads.length === 0 && waiting.writes.length === 0) return
    if (current?.isOpen() !== true) reconnect()
    else if (!current.isFresh()) current.check()
  }

  const reconnect = () => {
    if (isConnecting) return
    isConnecting = true
    openSession(
      (session) => ({
        onChange: drain,
        onRetired: () => {
          sessions.delete(session)
          if (current !== session) return
          current = undefined
          // Do not reconnect for ever to a service that closes each connection before its first request.
          if (session.wasUsed()) drain()
          else failWaiting(closedEarly)
        }
      }),
      (result) => {
        isConnecting = false
        if (result instanceof Error) return failWaiting(result)
        current = result
        if (result === undefined) drain()
      }
    )
  }

  /** Sends a request on a connection of its own. */
  const sendAlone = (request: Outgoing, exchange: Exchange) => {
    let isSent = false
    openSession(
      (session) => ({
        onChange: () => {
          if (isSent) return
          isSent = true
          if (!session.send(request, exchange, session.retire)) session.retire()
        },
        onRetired: () => {
          sessions.delete(session)
          if (!isSent) exchange.onResponseError(unused, closedEarly)
        }
      }),
      (result) => {
        if (result instanceof Error) exchange.onResponseError(unused, result)
        else if (result === undefined) sendHttp1(request, exchange)
      }
    )
  }

  return {
    send: (request, exchange) => {
      const { kind } = request
      if (isHttp1) return sendHttp1(request, exchange)
      if (kind === "tokens") return sendAlone(request, exchange)
      const session = waiting[kind].length === 0 ? roomFor(kind) : undefined
      if (session !== undefined) return start(session, kind, { request, exchange })
      waiting[kind].push({ request, exchange })
      drain()
    },
    close: Effect.suspend(() => {
      for (const cancel of connecting) cancel()
      failWaiting(closedEarly)
      return Effect.forEach([...sessions], ({ close }) => close, { concurrency: "unbounded", discard: true })
    })
  }
}
