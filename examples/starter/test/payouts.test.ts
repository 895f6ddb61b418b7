import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Clients } from "@effect-custody/sdk"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Ledger } from "../src/Ledger.ts"
import { Payouts } from "../src/Payouts.ts"
import * as Server from "../src/server.ts"

const World = Server.layer.pipe(
  Layer.provide(Payouts.layer),
  Layer.provideMerge([CustodyEmulator.layer, Ledger.layerMemory, NodeHttpServer.layerTest]),
  Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
)

/** A backend of its own for each test, and a client with 100 USDC. */
const inWorld = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* Clients.create({ id: "alice" })
    yield* (yield* CustodyEmulator).fund({ clientId: "alice", assetId: "usdc", amount: "100" })
    return yield* test
  }).pipe(Effect.provide(World, { local: true }))

const order = { clientId: "alice", assetId: "usdc", to: "0x52908400098527886E0F7030069857D2E4169EE7", amount: "12.50" }

const pay = Effect.fnUntraced(function* (payoutId: string, body: object = order) {
  const request = HttpClientRequest.put(`/payouts/${payoutId}`).pipe(HttpClientRequest.bodyJsonUnsafe(body))
  const response = yield* HttpClient.execute(request)
  return { status: response.status, body: yield* response.json }
})

/** How often the service has sent money, by its own ledger. */
const sends = Effect.gen(function* () {
  const writes = yield* (yield* CustodyEmulator).ledger
  return writes.filter(({ operation }) => operation === "transactions.send").length
})

describe("payouts", () => {
  it.live("are sent once, however often and at the same time they are ordered", () =>
    inWorld(
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        // Longer under way than a look into the history takes.
        yield* faults.next("transactions.send", Fault.delayed({ request: "300 millis" }))
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => pay("p-1")),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
        assert.strictEqual((yield* pay("p-1")).status, 201)
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("are unknown while the answer is lost, and are found by their name", () =>
    inWorld(
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("transactions.send", Fault.answerLost())
        assert.strictEqual((yield* pay("p-1")).status, 202)
        assert.strictEqual((yield* pay("p-1")).status, 201)
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("are refused with the service's reason, and may be ordered again when they are put right", () =>
    inWorld(
      Effect.gen(function* () {
        assert.strictEqual((yield* pay("p-1", { ...order, amount: "1000" })).status, 422)
        assert.strictEqual((yield* pay("p-1")).status, 201)
      })
    )
  )

  it.live("do not share a name with another order", () =>
    inWorld(
      Effect.gen(function* () {
        yield* pay("p-1")
        assert.strictEqual((yield* pay("p-1", { ...order, amount: "13" })).status, 409)
        assert.strictEqual(yield* sends, 1)
      })
    )
  )
})
