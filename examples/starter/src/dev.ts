/** `npm run dev`: the backend on an emulator in this process, with a client `alice` who has 1000 USDC. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { Clients } from "@effect-custody/sdk"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"
import { Ledger } from "./Ledger.ts"
import { Payouts } from "./Payouts.ts"
import * as Server from "./server.ts"

const Ready = Layer.effectDiscard(
  Effect.gen(function* () {
    const emulator = yield* CustodyEmulator
    yield* Clients.create({ id: "alice" })
    yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
    const { address } = yield* HttpServer.HttpServer
    if (address._tag !== "UnixPathAddress") yield* Console.log(`payouts at http://localhost:${address.port}`)
  })
)

const NodeServer = NodeHttpServer.layerConfig(createServer, {
  port: Config.Int("PORT").pipe(Config.withDefault(3000))
})

const Main = Layer.merge(Server.layer, Ready).pipe(
  Layer.provide(Payouts.layer),
  Layer.provide([NodeServer, Ledger.layerMemory, CustodyEmulator.layer])
)

Layer.launch(Main).pipe(NodeRuntime.runMain)
