import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { details, generate, refresh, send, session } from "./support.ts"

const served = Effect.provide(Layer.merge(FetchHttpClient.layer, CustodyEmulator.layerServer()))

/** Sends a request to a control, as another process would. */
const control = Effect.fnUntraced(function* (method: "GET" | "POST" | "DELETE", path: string, body?: unknown) {
  const { baseUrl } = yield* CustodyEmulator
  const request = HttpClientRequest.make(method)(new URL(`/emulator/${path}`, baseUrl))
  const response = yield* HttpClient.execute(
    body === undefined ? request : HttpClientRequest.bodyText(request, JSON.stringify(body), "application/json")
  )
  const text = yield* response.text
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text) }
})

describe("the server", () => {
  it.live("no longer listens when the layer has closed, even with an unanswered request", () =>
    Effect.gen(function* () {
      const { baseUrl, faults } = yield* CustodyEmulator
      yield* faults.next("vaults.details", Fault.silence())
      yield* Effect.forkChild(Effect.result(details()), { startImmediately: true })
      yield* Effect.sleep("50 millis")
      return baseUrl
    }).pipe(
      served,
      Effect.flatMap((baseUrl) => Effect.flip(HttpClient.get(baseUrl))),
      Effect.map(({ reason }) => assert.strictEqual(reason._tag, "TransportError")),
      Effect.provide(FetchHttpClient.layer)
    )
  )

  it.live("refuses a body beyond the limit, without a defect", () =>
    Effect.gen(function* () {
      const { status } = yield* send("/auth/generate-tokens", { body: { apiKey: "k".repeat(2 * 1024 * 1024) } })
      assert.strictEqual(status, 413)
      assert.strictEqual((yield* details()).status, 401)
    }).pipe(served)
  )
})

describe("controls over HTTP", () => {
  it.live("expire tokens, and revoke sessions", () =>
    Effect.gen(function* () {
      const first = yield* session()
      assert.strictEqual((yield* control("POST", "expire")).status, 204)
      assert.strictEqual((yield* details(first.accessToken)).status, 498)
      assert.strictEqual((yield* control("POST", "revoke")).status, 204)
      assert.strictEqual((yield* refresh(first.refreshToken)).json.code, "E01402")
    }).pipe(served)
  )

  it.live("report requests and counts, without the control requests and without secrets", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      const { accessToken } = yield* session()
      yield* details(accessToken)
      const received = yield* control("GET", "received?after=1")
      assert.strictEqual(received.json.length, 1)
      const { at, ...rest } = received.json[0]
      assert.isNumber(at)
      assert.deepInclude(rest, {
        sequence: 2,
        method: "GET",
        path: "/api/integration/vaults/details",
        operation: "vaults.details",
        status: 200,
        token: { kind: "accessToken", session: 1, generation: 0 }
      })
      assert.notInclude(JSON.stringify((yield* control("GET", "received")).json), accessToken)
      const counts = (yield* control("GET", "counts")).json
      assert.deepStrictEqual(counts, JSON.parse(JSON.stringify(yield* emulator.counts)))
      assert.strictEqual(counts.requests, 2)
      const [summary] = yield* emulator.sessions
      assert.deepInclude(summary, { session: 1, vaultId: 1, generation: 0, revoked: false })
    }).pipe(served)
  )

  it.live("take faults as JSON", () =>
    Effect.gen(function* () {
      const { pending } = (yield* CustodyEmulator).faults
      const fault = yield* Schema.encodeEffect(Fault.Fault)(Fault.delayed({ answer: "1 millis" }))
      assert.strictEqual((yield* control("POST", "faults", { operation: "*", fault, times: 2 })).status, 204)
      const decoded = Fault.delayed({ answer: "1 millis" })
      assert.deepStrictEqual(yield* pending, [{ operation: "*", fault: decoded, times: 2 }])
      yield* details()
      assert.deepInclude((yield* pending)[0], { times: 1 })
      assert.strictEqual((yield* control("DELETE", "faults")).status, 204)
      assert.deepStrictEqual(yield* pending, [])
    }).pipe(served)
  )

  it.live("fund, pay, fail transfers, and list the writes", () =>
    Effect.gen(function* () {
      const apiKey: string = (yield* control("POST", "api-keys", { vaultId: 3 })).json.apiKey
      assert.strictEqual((yield* generate(apiKey)).json.data.vaultId, 3)
      const { accessToken: token } = yield* session()
      const call = (path: string, body: unknown) => Effect.map(send(path, { token, body }), ({ json }) => json.data)
      yield* call("/clients/create-many", { externalIds: ["alice", "bob"] })
      const funded = yield* control("POST", "fund", { clientId: "alice", assetId: "usdc", amount: "10" })
      assert.deepStrictEqual([funded.status, typeof funded.json.transactionId], [200, "string"])
      const transfer = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: "1" }
      yield* control("POST", "fail-next", { end: "ERROR", times: 1 })
      assert.strictEqual((yield* call("/transactions/transfer", transfer)).status, "ERROR")
      assert.strictEqual((yield* call("/transactions/transfer", transfer)).status, "COMPLETED")
      const order = yield* call("/payment-vault-orders", { amount: "5", assetId: "usdc", clientId: "alice" })
      assert.strictEqual((yield* control("POST", "pay-order", { orderId: order.id })).status, 200)
      const link = yield* call("/fiat-gateway/payment-links", { clientId: "alice", amount: "5", currency: "EUR" })
      assert.strictEqual((yield* control("POST", "pay-link", { linkId: link.id })).status, 200)
      const { json: writes } = yield* control("GET", "ledger?after=1")
      assert.deepStrictEqual(
        writes.map(({ operation }: { readonly operation: string }) => operation),
        ["transactions.transfer", "transactions.transfer", "paymentOrders.create", "fiatGateway.createPaymentLink"]
      )
      assert.deepInclude(writes[0].input, transfer)
      const dave = yield* control("POST", "fund", { clientId: "dave", assetId: "usdc", amount: "10" })
      assert.deepStrictEqual([dave.status, typeof dave.json.transactionId], [200, "string"])
      assert.strictEqual((yield* control("POST", "pay-order", { orderId: order.id })).status, 400)
    }).pipe(served)
  )

  it.live("name the mistake in a request", () =>
    Effect.gen(function* () {
      const requests = [
        ["api-keys", { vault: 3 }],
        ["faults", { operation: "*", fault: {} }],
        ["fund", { clientId: "carol", assetId: "gold", amount: "10" }],
        ["fund", { clientId: "alice", assetId: "usdc", amount: 10 }],
        ["fail-next", { end: "COMPLETED" }],
        ["pay-link", { linkId: "none" }]
      ] as const
      for (const [path, body] of requests) {
        const { json, status } = yield* control("POST", path, body)
        assert.strictEqual(status, 400, path)
        assert.isString(json.message)
      }
      for (const path of ["nothing", "expire"]) assert.strictEqual((yield* control("GET", path)).status, 404)
    }).pipe(served)
  )
})
