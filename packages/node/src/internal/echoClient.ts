/**
 * A client of HTTP/1.1 with one connection, for writes whose answers show the request that they belong to. It carries one
 * write at a time, and no other after a pause that may have led the service to close it.
 */
import Undici from "@effect/platform-node/Undici"
import type * as Clock from "effect/Clock"
import type { Socket } from "node:net"
import type { Exchange } from "./exchange.ts"

/** The maximum pause between two writes on a connection, in milliseconds. */
const maxIdle = 1_500

interface Connection {
  readonly socket: Socket
  isUsed: boolean
  /** The end of the last answer, in milliseconds since 1970; `undefined` before the first and during a write. */
  idleSince: number | undefined
}

type Handler = Undici.Dispatcher.DispatchHandler

class EchoClient extends Undici.Client {
  #connection: Connection | undefined
  readonly #clock: Clock.Clock

  constructor(
    origin: URL,
    options: Undici.Client.Options,
    connect: Undici.buildConnector.connector,
    clock: Clock.Clock
  ) {
    super(origin, {
      ...options,
      connect: (target, callback) => {
        connect(target, (...result) => {
          const [, socket] = result
          if (socket !== null) this.#connection = { socket, isUsed: false, idleSince: undefined }
          callback(...result)
        })
      }
    })
    this.#clock = clock
  }

  override dispatch(options: Undici.Dispatcher.DispatchOptions, exchange: Exchange & Handler): boolean {
    const { idleSince, socket } = this.#connection ?? {}
    // Closes a connection that was idle for too long. The client then opens a new one.
    if (idleSince !== undefined && Math.abs(this.#now() - idleSince) > maxIdle) socket?.destroy()
    return super.dispatch(options, this.#follow(exchange))
  }

  #now(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  /** Notes the use of the connection, and passes every step on to the exchange. */
  #follow(exchange: Exchange): Handler {
    let connection: Connection
    return {
      onRequestStart: (controller) => {
        connection = this.#connection!
        const { isUsed, socket } = connection
        if (isUsed && exchange.progress !== undefined) exchange.progress.closeReused = () => socket.destroy()
        connection.isUsed = true
        connection.idleSince = undefined
        exchange.onRequestStart(controller)
      },
      onResponseStart: (controller, status, headers) => exchange.onResponseStart(controller, status, headers),
      onResponseData: (controller, chunk) => exchange.onResponseData(controller, chunk),
      onResponseEnd: () => {
        connection.idleSince = this.#now()
        exchange.onResponseEnd()
      },
      onResponseError: (controller, error) => exchange.onResponseError(controller, error)
    }
  }
}

export const makeEchoClient = (...options: ConstructorParameters<typeof EchoClient>): Undici.Dispatcher =>
  new EchoClient(...options)
