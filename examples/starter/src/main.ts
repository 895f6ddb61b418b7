/**
 * The backend in production: the session with the custody service, and the ledger, are in PostgreSQL, so that any number
 * of these processes may run side by side. See `.env.example` for the configuration.
 */
import { EnvironmentConfig } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { TokenStorePostgres } from "@effect-custody/postgres"
import { Custody } from "@effect-custody/sdk"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Config, Effect, Layer } from "effect"
import { createServer } from "node:http"
import { Ledger } from "./Ledger.ts"
import { Payouts } from "./Payouts.ts"
import * as Server from "./server.ts"

const Settings = Config.all({
  environment: EnvironmentConfig.environment,
  /** One-time: for the first start. */
  apiKey: Config.Redacted("CUSTODY_API_KEY").pipe(Config.withDefault(undefined)),
  /** Encrypts the stored session: 32 bytes in base64. */
  sessionKey: Config.Redacted("CUSTODY_SESSION_KEY")
})

const CustodyLive = Layer.unwrap(
  Effect.gen(function* () {
    const { apiKey, environment, sessionKey: key } = yield* Settings
    const { previousSessionKeys: previousKeys } = yield* NodeCustody.sessionKeysConfig
    return Custody.layer({ environment, apiKey }).pipe(
      Layer.provide([TokenStorePostgres.layer({ key, previousKeys }), NodeCustody.layerHttpClient()])
    )
  })
)

const Database = PgClient.layerConfig({ url: Config.Redacted("DATABASE_URL") })

/** When it is told to stop, it takes no more requests, and finishes those that it has. */
const HttpServer = NodeHttpServer.layerConfig(createServer, {
  port: Config.Int("PORT").pipe(Config.withDefault(3000)),
  gracefulShutdownTimeout: Config.succeed("20 seconds")
})

const Main = Server.layer.pipe(
  Layer.provide(Payouts.layer),
  Layer.provide([HttpServer, Ledger.layerPostgres, CustodyLive]),
  Layer.provide(Database)
)

Layer.launch(Main).pipe(NodeRuntime.runMain)
