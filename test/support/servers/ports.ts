/**
 * Ports that no other program takes meanwhile. The system gives a port of its ephemeral range, which begins at 32,768 or
 * above, to any connection of any program: one that was free a moment ago may be taken.
 */
import * as Effect from "effect/Effect"
import { randomInt } from "node:crypto"
import * as Net from "node:net"

/** A port of the loopback on which nothing listens: a privileged one without a service. */
export const closedPort = 2

const isFree = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const server = Net.createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })

/** A free port of the loopback, below the ephemeral range. */
export const freePort: Effect.Effect<number> = Effect.suspend(() => {
  const port = randomInt(10_000, 30_000)
  return Effect.flatMap(isFree(port), (free) => (free ? Effect.succeed(port) : freePort))
})
