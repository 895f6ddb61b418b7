/**
 * The backend in production: the session with the custody service, and the ledger, are in PostgreSQL, so that any number
 * of these processes may run side by side. See `.env.example` for the configuration.
 */
import { ServiceContract } from "@effect-custody/contract"
import { Payouts } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { TokenStorePostgres } from "@effect-custody/postgres"
import { Custody, CustodyApi } from "@effect-custody/sdk"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Config, Console, Effect, Layer, Option } from "effect"
import { createServer } from "node:http"
import { worker } from "./payouts.ts"
import * as Server from "./server.ts"
import { settings } from "./settings.ts"
import { Stopping } from "./Stopping.ts"
import * as Telemetry from "./telemetry.ts"

/** Only this machine can connect, unless `LISTEN_HOST` says otherwise. */
const HttpServer = NodeHttpServer.layerConfig(createServer, {
  host: Config.String("LISTEN_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Int("PORT").pipe(Config.withDefault(3000)),
  gracefulShutdownTimeout: Config.succeed("20 seconds")
})

const Main = Layer.unwrap(
  Effect.map(settings, ({ allowedHosts, apiKey, contractFile, databaseUrl, environment, token, ...keys }) => {
    // PgBouncer in transaction mode keeps no prepared statements.
    const Database = PgClient.layer({ url: databaseUrl, prepare: false })

    const Contract = Option.match(contractFile, {
      onNone: () => Layer.empty,
      onSome: (file) => Layer.provide(ServiceContract.layerFile(file, CustodyApi), NodeFileSystem.layer)
    })

    const Client = Custody.layer({ environment, apiKey }).pipe(
      Layer.provide([
        TokenStorePostgres.layer({ key: keys.sessionKey, previousKeys: keys.previousSessionKeys }),
        NodeCustody.layerHttpClientConfig(),
        Contract
      ])
    )

    // What is provided is built first: the server comes last, when all of this can answer, and is closed first.
    return Server.layer({ token, allowedHosts }).pipe(
      Layer.provide(HttpServer),
      Layer.provide([worker, Telemetry.session]),
      Layer.provide([Payouts.layer(), Client, Stopping.layer("10 seconds")]),
      Layer.provide(Database),
      Layer.provide(Telemetry.layer)
    )
  })
)

Layer.launch(Main).pipe(
  Effect.tapError(({ message }) => Console.error(message)),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
