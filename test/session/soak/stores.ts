/** The stores of a soak, and what befalls each. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { DatabaseSync } from "node:sqlite"
import { temporaryDirectory } from "../../support/servers/sqlitePlace.ts"
import { postgresPair } from "../../support/servers/postgresPair.ts"
import { redisPair } from "../../support/servers/redisPair.ts"
import type { Start } from "../kills/protocol.ts"

export interface SoakStore {
  readonly place: Start["store"]
  /** The store cannot be written for some seconds. */
  readonly restart: Effect.Effect<void>
  /** Another server takes over. A file has none. */
  readonly failover: Effect.Effect<void> | undefined
}

export const stores = {
  sqlite: Effect.map(temporaryDirectory, (directory): SoakStore => {
    const path = `${directory}/session.db`
    return {
      place: { _tag: "sqlite", path },
      // Maintenance holds the lock of the file.
      restart: Effect.acquireUseRelease(
        Effect.sync(() => {
          const database = new DatabaseSync(path, { timeout: 10_000 })
          database.exec("BEGIN EXCLUSIVE")
          return database
        }),
        () => Effect.sleep("2 seconds"),
        (database) => Effect.sync(() => database.close())
      ),
      failover: undefined
    }
  }),
  postgres: Effect.map(postgresPair, ({ failover, restart, url }): SoakStore => ({
    place: { _tag: "postgres", url },
    restart,
    failover
  })),
  redis: Effect.map(redisPair, ({ failover, restart, url }): SoakStore => ({
    place: { _tag: "redis", url, replicas: 1 },
    restart,
    failover
  }))
} satisfies Record<string, Effect.Effect<SoakStore, never, Scope.Scope>>
