import { assert, describe, it } from "@effect/vitest"
import { Amount } from "@effect-custody/core"
import { FiatGateway } from "@effect-custody/fiat-gateway"
import { Effect, Stream } from "effect"
import { page, scriptedClient, tagOf } from "../../support/clients/scriptedClient.ts"

describe("FiatGateway", () => {
  it.effect("streamPaymentLinks keeps its filters", () => {
    const { layer, sent } = scriptedClient(page([{ id: 8 }]))
    return Effect.gen(function* () {
      assert.strictEqual(yield* FiatGateway.streamPaymentLinks({ clientId: "alice" }).pipe(Stream.runCount), 1)
      assert.strictEqual(sent[0]?.url, "/fiat-gateway/payment-links?page=1&clientId=alice")
    }).pipe(Effect.provide(layer))
  })

  it.effect("a refund of nothing is not sent", () => {
    const { layer, sent } = scriptedClient({ data: {} })
    return Effect.gen(function* () {
      const nothing = FiatGateway.refund({ transactionId: "t-1", amount: Amount.of("0") })
      assert.strictEqual(yield* tagOf(nothing), "RequestInvalid")
      assert.lengthOf(sent, 0)
    }).pipe(Effect.provide(layer))
  })
})
