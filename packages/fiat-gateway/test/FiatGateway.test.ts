import { assert, describe, it } from "@effect/vitest"
import { Amount } from "@effect-custody/core"
import { FiatGateway } from "@effect-custody/fiat-gateway"
import { Effect } from "effect"
import { scriptedClient, tagOf } from "../../../test/support/clients/scriptedClient.ts"

describe("FiatGateway", () => {
  it.effect("refund does not send an amount of zero", () => {
    const { layer, sent } = scriptedClient({ data: {} })
    return Effect.gen(function* () {
      const nothing = FiatGateway.refund({ transactionId: "t-1", amount: Amount.of("0") })
      assert.strictEqual(yield* tagOf(nothing), "RequestInvalid")
      assert.lengthOf(sent, 0)
    }).pipe(Effect.provide(layer))
  })
})
