/** Opens the shared store of a run. */
import type { TokenStore } from "@effect-custody/authentication"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import type { Start } from "./protocol.ts"

/** Opens it with encryption, so that a torn or mixed record cannot decode. Loads only the code of this store. */
export const openStore = async ({ key, store }: Pick<Start, "key" | "store">): Promise<Layer.Layer<TokenStore>> => {
  const options = { key: Redacted.make(key) }
  if (store._tag === "sqlite") {
    const TokenStoreSqlite = await import("@effect-custody/node/TokenStoreSqlite")
    return Layer.orDie(TokenStoreSqlite.layer({ ...options, filename: store.path }))
  }
  if (store._tag === "redis") {
    const [NodeRedis, TokenStoreRedis] = await Promise.all([
      import("@effect/platform-node/NodeRedis"),
      import("@effect-custody/redis/TokenStoreRedis")
    ])
    return TokenStoreRedis.layer({ ...options, replicas: store.replicas }).pipe(
      // Without the warnings of the client about servers that are killed.
      Layer.provide(
        Layer.provide(
          NodeRedis.layer({ url: store.url, socket: { reconnectStrategy: false, socketTimeout: 10_000 } }),
          Logger.layer([])
        )
      ),
      Layer.orDie
    )
  }
  const [PgClient, TokenStorePostgres] = await Promise.all([
    import("@effect/sql-pg/PgClient"),
    import("@effect-custody/postgres/TokenStorePostgres")
  ])
  return TokenStorePostgres.layer(options).pipe(
    Layer.provide(PgClient.layer({ url: Redacted.make(store.url), maxConnections: 4 })),
    Layer.orDie
  )
}
