import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Clients } from "@effect-custody/sdk"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { KeyValueStore } from "effect/persistence"
import * as FileLedger from "../../examples/backend/fileLedger.ts"
import * as Server from "../../examples/backend/server.ts"
import { Payouts } from "../../examples/starter/src/Payouts.ts"

/** A ledger that takes so many writes. */
const ledgerFor = (writes: number) =>
  Layer.effect(
    KeyValueStore.KeyValueStore,
    Effect.map(KeyValueStore.KeyValueStore, (inner) => {
      let room = writes
      return {
        ...inner,
        set: (key: string, value: string | Uint8Array) =>
          room-- > 0
            ? inner.set(key, value)
            : Effect.fail(new KeyValueStore.KeyValueStoreError({ method: "set", key, message: "the disk is full" }))
      }
    })
  ).pipe(Layer.provide(Layer.fresh(KeyValueStore.layerMemory)))

const worldWith = (ledger: Layer.Layer<KeyValueStore.KeyValueStore>) =>
  Server.layer.pipe(
    Layer.provide(Payouts.layer),
    Layer.provideMerge([CustodyEmulator.layer, Layer.provide(FileLedger.layer, ledger), NodeHttpServer.layerTest]),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
  )

/** A backend, and a client with 100 USDC. */
const inWorld = <A, E, R>(test: Effect.Effect<A, E, R>, ledger = ledgerFor(Infinity)) =>
  Effect.gen(function* () {
    yield* Clients.create({ id: "alice" })
    const emulator = yield* CustodyEmulator
    yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "100" })
    return yield* test
  }).pipe(Effect.provide(worldWith(ledger), { local: true }))

const order = { clientId: "alice", assetId: "usdc", to: "0x52908400098527886E0F7030069857D2E4169EE7", amount: "12.50" }

const answer = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const response = yield* HttpClient.execute(request)
  return { status: response.status, type: response.headers["content-type"], body: (yield* response.json) as any }
})
const pay = (payoutId: string, body: object = order) =>
  answer(HttpClientRequest.put(`/payouts/${payoutId}`).pipe(HttpClientRequest.bodyJsonUnsafe(body)))
const find = (payoutId: string) => answer(HttpClientRequest.get(`/payouts/${payoutId}`))
const health = answer(HttpClientRequest.get("/health"))

/** How often money has moved, by the service's own books. */
const sends = Effect.gen(function* () {
  const writes = yield* (yield* CustodyEmulator).ledger
  return writes.filter(({ operation }) => operation === "transactions.send").length
})

describe("the backend", () => {
  it.live("the backend sends a payout once for repeated and concurrent requests", () =>
    inWorld(
      Effect.gen(function* () {
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => pay("p-1")),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
        assert.strictEqual(new Set(answers.map(({ body }) => body.transactionId)).size, 1)
        assert.strictEqual(yield* sends, 1)
        assert.strictEqual((yield* find("p-1")).body.state, "sent")
      })
    )
  )

  it.live("the backend reports an unknown payout after a lost answer, does not repeat it, and finds it later", () =>
    inWorld(
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("transactions.send", Fault.answerLost())
        const paid = yield* pay("p-1")
        assert.strictEqual(paid.status, 202)
        assert.deepInclude(paid.body, { state: "unknown", askAt: "/payouts/p-1" })
        assert.deepInclude(yield* find("p-1"), { status: 200 })
        assert.deepInclude((yield* pay("p-1")).body, { state: "sent" })
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("the backend reports each mistake in a request and its place", () =>
    inWorld(
      Effect.gen(function* () {
        const { body, status } = yield* pay("p-1", { ...order, amount: "-1" })
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(body.errors[0].path, ["payload", "amount"])
        assert.strictEqual((yield* pay("not a name")).status, 400)
        assert.strictEqual(yield* sends, 0)
      })
    )
  )

  it.live("the backend is unavailable without a session, reports it in its health, and sends nothing", () =>
    inWorld(
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* health).body.session, "serving")
        const { expireTokens, faults } = yield* CustodyEmulator
        const refusal = { status: 401, code: "E01402", message: "Invalid refresh token", errors: {} }
        yield* faults.next("authentication.refreshToken", Fault.answered({ status: 401, body: refusal }))
        yield* expireTokens
        const paid = yield* pay("p-1")
        assert.strictEqual(paid.status, 503)
        assert.match(paid.body.detail, /new API key/)
        assert.deepInclude(yield* health, { status: 503 })
        assert.strictEqual(yield* sends, 0)
        assert.strictEqual((yield* find("p-1")).status, 404, "it was not kept, and may be ordered again")
      })
    )
  )

  it.live("the backend shows what it knows if the service is unreachable, and never that a payout was not sent", () =>
    inWorld(
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* pay("p-1")
        yield* faults.next("transactions.send", Fault.answerLost())
        yield* pay("p-2")
        yield* faults.next("*", Fault.answered({ status: 403 }), { times: Infinity })
        assert.strictEqual((yield* pay("p-1")).body.state, "sent")
        assert.strictEqual((yield* pay("p-2")).body.state, "unknown")
        assert.strictEqual((yield* find("p-2")).status, 202)
      })
    )
  )

  it.live("the backend reports a sent payout that it cannot store, and finds it again", () =>
    inWorld(
      Effect.gen(function* () {
        assert.strictEqual((yield* pay("p-1")).body.state, "sent")
        assert.strictEqual((yield* find("p-1")).body.state, "sent")
        assert.strictEqual((yield* pay("p-2")).status, 503, "nothing is sent that cannot be kept")
        assert.strictEqual(yield* sends, 1)
      }),
      ledgerFor(1)
    )
  )
})
