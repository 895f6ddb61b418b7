/**
 * An address that does not answer. Its listener has a full queue and accepts nothing, so the system drops every further
 * connection. The listener has its own thread, which sleeps.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Net from "node:net"
import { Worker } from "node:worker_threads"

const listener = `
  const { parentPort } = require("node:worker_threads")
  const server = require("node:net").createServer()
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
`

const connects = (port: number, sockets: Array<Net.Socket>) =>
  Effect.callback<boolean>((resume) => {
    const socket = Net.connect(port, "127.0.0.1")
    sockets.push(socket)
    socket.on("error", () => {})
    // The event of a connection made while this thread was busy comes before the second turn.
    socket.setTimeout(300, () => setImmediate(() => setImmediate(() => resume(Effect.succeed(false)))))
    socket.on("connect", () => {
      socket.setTimeout(0)
      resume(Effect.succeed(true))
    })
  })

/** The port of the server until the scope ends. */
export const deafPort: Effect.Effect<number, never, Scope.Scope> = Effect.gen(function* () {
  const sockets: Array<Net.Socket> = []
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(listener, { eval: true })),
    (running) =>
      Effect.promise(async () => {
        for (const socket of sockets) socket.destroy()
        await running.terminate()
      })
  )
  const port = yield* Effect.callback<number>((resume) => {
    worker.once("message", (listening: number) => resume(Effect.succeed(listening)))
  })
  while (yield* connects(port, sockets)) {
    // The connection takes one more place in the queue.
  }
  return port
})
