import { assert, describe, it } from "@effect/vitest"
import { Amount } from "@effect-custody/core"
import { FiatGateway } from "@effect-custody/fiat-gateway"
import { Effect, Stream } from "effect"
import { page, scriptedClient, tagOf } from "../../support/clients/scriptedClient.ts"

describe("FiatGateway", () => {
  it.effect("createPaymentLink says who, how much and how", () => {
    const { layer, sent } = scriptedClient({ data: { id: 8, url: "https://pay.example/8" } })
    return Effect.gen(function* () {
      const link = yield* FiatGateway.createPaymentLink({
        clientId: "alice",
        amount: Amount.fromString("250"),
        currency: "EUR",
        method: "CARD"
      })
      assert.strictEqual(link.url, "https://pay.example/8")
      assert.deepStrictEqual(sent, [
        {
          method: "POST",
          url: "/fiat-gateway/payment-links",
          body: { clientId: "alice", amount: "250", currency: "EUR", method: "CARD" }
        }
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("getPaymentLink, listPaymentLinks and streamPaymentLinks read", () => {
    const { layer, sent } = scriptedClient({ data: { id: 8 } }, page([{ id: 8 }]))
    return Effect.gen(function* () {
      yield* FiatGateway.getPaymentLink({ linkId: "8" })
      yield* FiatGateway.listPaymentLinks({ clientId: "alice", status: "PENDING" })
      assert.strictEqual(yield* FiatGateway.streamPaymentLinks({ clientId: "alice" }).pipe(Stream.runCount), 1)
      assert.deepStrictEqual(
        sent.map(({ method, url }) => `${method} ${url}`),
        [
          "GET /fiat-gateway/payment-links/8",
          "GET /fiat-gateway/payment-links?clientId=alice&status=PENDING",
          "GET /fiat-gateway/payment-links?page=1&clientId=alice"
        ]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("refund gives back a part, or all", () => {
    const { layer, sent } = scriptedClient({ data: { status: "PENDING" } })
    return Effect.gen(function* () {
      yield* FiatGateway.refund({ transactionId: "t-1", amount: Amount.fromString("25"), reason: "partial return" })
      yield* FiatGateway.refund({ transactionId: "t-1" })
      assert.deepStrictEqual(sent, [
        {
          method: "POST",
          url: "/fiat-gateway/transactions/t-1/refund",
          body: { amount: "25", reason: "partial return" }
        },
        { method: "POST", url: "/fiat-gateway/transactions/t-1/refund", body: {} }
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a refund of nothing is not sent", () => {
    const { layer, sent } = scriptedClient({ data: {} })
    return Effect.gen(function* () {
      const nothing = FiatGateway.refund({ transactionId: "t-1", amount: Amount.fromString("0") })
      assert.strictEqual(yield* tagOf(nothing), "RequestInvalid")
      assert.lengthOf(sent, 0)
    }).pipe(Effect.provide(layer))
  })
})
