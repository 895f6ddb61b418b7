/**
 * `npm run dev`: the backend on an emulator in this process, with a client `alice` who has 5000 USDC. Everything is in
 * memory.
 */
import { CustodyEmulator } from "@effect-custody/emulator"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { Clients } from "@effect-custody/sdk"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect, Layer, Redacted } from "effect"
import { HttpServer as ListeningServer } from "effect/http"
import { createServer } from "node:http"
import { Worker } from "./payouts.ts"
import * as Server from "./server.ts"
import { Stopping } from "./Stopping.ts"
import * as Telemetry from "./telemetry.ts"

const Money = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Clients.create({ externalId: "alice" })
    yield* (yield* CustodyEmulator).fund({ clientId: "alice", assetId: "usdc", amount: "5000" })
  })
)

/** Two, because nobody approves their own payouts. */
const callers = new Map([
  ["ann", Redacted.make("dev")],
  ["bob", Redacted.make("dev-bob")]
])

const Ready = Layer.effectDiscard(
  Effect.gen(function* () {
    const { address } = yield* ListeningServer.HttpServer
    if (address._tag === "UnixPathAddress") return
    yield* Console.log(`payouts at http://localhost:${address.port}`)
    yield* Console.log("In memory only: the emulator, the session and the ledger end with this process.")
    for (const [name, token] of callers) yield* Console.log(`${name} calls with the token ${Redacted.value(token)}`)
  })
)

const HttpServer = NodeHttpServer.layerConfig(createServer, {
  host: Config.succeed("127.0.0.1"),
  port: Config.Int("PORT").pipe(Config.withDefault(3000))
})

const Main = Ready.pipe(
  Layer.provide(Server.layer({ callers })),
  Layer.provide(HttpServer),
  Layer.provide([Worker.layer(), Telemetry.session, Money]),
  Layer.provide([Payouts.layer(), CustodyEmulator.layer, Stopping.layer("1 second")]),
  Layer.provide(LedgerSqlite.layer({ filename: ":memory:" })),
  Layer.provide(Telemetry.layer)
)

Layer.launch(Main).pipe(NodeRuntime.runMain)
