/**
 * The backend in production: the session with the custody service, and the ledger, are in PostgreSQL, so that any number
 * of these processes may run side by side. See `.env.example` for the configuration.
 */
import { Payouts } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { TokenStorePostgres } from "@effect-custody/postgres"
import { Custody } from "@effect-custody/sdk"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Console, Effect, Layer, Option } from "effect"
import { createServer } from "node:http"
import { Worker } from "./payouts.ts"
import * as Server from "./server.ts"
import { settings } from "./settings.ts"
import { Stopping } from "./Stopping.ts"
import * as Telemetry from "./telemetry.ts"

const Main = Layer.unwrap(
  Effect.map(
    settings,
    ({ allowedHosts, apiKey, contractFile, databaseUrl, environment, listening, callers, ...keys }) => {
      const HttpServer = NodeHttpServer.layer(createServer, { ...listening, gracefulShutdownTimeout: "20 seconds" })

      // PgBouncer in transaction mode keeps no prepared statements.
      const Database = PgClient.layer({ url: databaseUrl, prepare: false })

      const Contract = Option.match(contractFile, {
        onNone: () => Layer.empty,
        onSome: NodeCustody.contractLayer
      })

      const Client = Custody.layer({ environment, apiKey }).pipe(
        Layer.provide([
          TokenStorePostgres.layer({ key: keys.sessionKey, previousKeys: keys.previousSessionKeys }),
          NodeCustody.layerHttpClientConfig(),
          Contract
        ])
      )

      // What is provided is built first: the server comes last, when all of this can answer, and is closed first.
      return Server.layer({ callers, allowedHosts }).pipe(
        Layer.provide(HttpServer),
        Layer.provide([Worker.layer(), Telemetry.session]),
        Layer.provide([Payouts.layer(), Client, Stopping.layer("10 seconds")]),
        Layer.provide(Database),
        Layer.provide(Telemetry.layer)
      )
    }
  )
)

Layer.launch(Main).pipe(
  Effect.tapError((error) => Console.error(Telemetry.explain(error))),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
