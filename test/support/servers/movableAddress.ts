/** An address that stays when its server changes, as a proxy or a name in the DNS would have. */
import * as Effect from "effect/Effect"
import { once } from "node:events"
import * as Net from "node:net"

/** Opens a port whose connections lead to the server of the moment. */
export const movableAddress = (first: number) =>
  Effect.gen(function* () {
    let target = first
    let delay = 0
    const sockets = new Set<Net.Socket>()
    const listener = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const listener = Net.createServer((socket) => {
          const upstream = Net.connect(target, "127.0.0.1")
          for (const [one, other] of [
            [socket, upstream],
            [upstream, socket]
          ] as const) {
            sockets.add(one)
            one.on("error", () => {})
            one.on("close", () => {
              sockets.delete(one)
              other.destroy()
            })
          }
          socket.pipe(upstream)
          upstream.on("data", (chunk: Buffer) => {
            if (delay === 0) socket.write(chunk)
            else setTimeout(() => socket.write(chunk), delay).unref()
          })
        })
        listener.listen(0, "127.0.0.1")
        await once(listener, "listening")
        return listener
      }),
      (listener) =>
        Effect.sync(() => {
          listener.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    return {
      port: (listener.address() as Net.AddressInfo).port,
      /** Keeps what the server writes from now on for some milliseconds. It is lost if the server ends meanwhile. */
      delayBy: (milliseconds: number) =>
        Effect.sync(() => {
          delay = milliseconds
        }),
      /** Leads new connections to another server. */
      leadTo: (port: number) =>
        Effect.sync(() => {
          target = port
        }),
      /** Leads new connections to another server, and ends the present ones. */
      moveTo: (port: number) =>
        Effect.sync(() => {
          target = port
          for (const socket of sockets) socket.destroy()
        })
    }
  })
