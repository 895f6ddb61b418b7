/** A Redis with a replica, which can take over. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { movableAddress } from "./movableAddress.ts"
import { awaitReplica, redisServer, type Server } from "./redis.ts"

/** Starts a primary and its replica, which live as long as the scope. */
export const redisPair = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const makeServer = Scope.provide(redisServer({ "repl-diskless-sync-delay": "0" }), scope)
  const addReplica = Effect.fnUntraced(function* (primary: Server) {
    const replica = yield* makeServer
    // No setting, because it starts again as a primary once it has taken over.
    yield* replica.command("REPLICAOF", "127.0.0.1", `${primary.port}`)
    yield* awaitReplica(primary)
    return replica
  })
  let primary: Server = yield* makeServer
  let replica: Server = yield* addReplica(primary)
  const address = yield* movableAddress(primary.port)

  return {
    url: `redis://127.0.0.1:${address.port}`,
    /** Kills the primary, and starts it again. */
    restart: Effect.gen(function* () {
      yield* primary.kill
      yield* primary.start
      yield* awaitReplica(primary)
    }),
    /** Kills the primary, promotes the replica, and adds another replica. */
    failover: Effect.gen(function* () {
      yield* primary.kill
      primary = replica
      yield* primary.command("REPLICAOF", "NO", "ONE")
      yield* address.moveTo(primary.port)
      replica = yield* addReplica(primary)
    })
  }
})
