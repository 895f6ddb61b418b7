/**
 * A backend that pays out: HTTP on one side, the custody service on the other, and an honest answer in between.
 *
 * Configuration: what `NodeCustody.layerConfig` takes, `LEDGER_DIRECTORY`, `PORT` and `OTEL_EXPORTER_OTLP_ENDPOINT`.
 */
import { NodeCustody } from "@effect-custody/node"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Effect, Layer } from "effect"
import { KeyValueStore } from "effect/persistence"
import { createServer } from "node:http"
import { Payouts } from "../starter/src/Payouts.ts"
import * as FileLedger from "./fileLedger.ts"
import * as Server from "./server.ts"
import * as Telemetry from "./telemetry.ts"

/** A file for each payout. Where there are several processes, it is the starter's `Ledger.layerPostgres`. */
const Files = Layer.unwrap(
  Effect.map(Config.NonEmptyString("LEDGER_DIRECTORY"), (directory) => KeyValueStore.layerFileSystem(directory))
).pipe(Layer.provide(NodeServices.layer))

/** When it is told to stop, it takes no more requests, and finishes those that it has. */
const HttpServer = NodeHttpServer.layerConfig(createServer, {
  port: Config.Int("PORT").pipe(Config.withDefault(3000)),
  gracefulShutdownTimeout: Config.succeed("20 seconds")
})

const Main = Layer.merge(Server.layer, Telemetry.session).pipe(
  Layer.provide(Payouts.layer),
  Layer.provide([HttpServer, Layer.provide(FileLedger.layer, Files), NodeCustody.layerConfig]),
  // Last, so that it sees everything above.
  Layer.provide(Telemetry.layer)
)

Layer.launch(Main).pipe(NodeRuntime.runMain)
