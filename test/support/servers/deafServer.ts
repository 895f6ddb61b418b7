/**
 * An address that does not answer: a listener that accepts nothing, with its queue full, so that the system drops every
 * further attempt to connect. It has a thread of its own, which sleeps.
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
    // A connection that was made while this thread was busy is told before the second turn.
    socket.setTimeout(300, () => setImmediate(() => setImmediate(() => resume(Effect.succeed(false)))))
    socket.on("connect", () => {
      socket.setTimeout(0)
      resume(Effect.succeed(true))
    })
  })

/** Its port, until the scope ends. */
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
    // One more place of the queue is taken.
  }
  return port
})
