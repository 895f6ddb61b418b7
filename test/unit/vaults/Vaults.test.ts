import { assert, describe, it } from "@effect/vitest"
import { Vaults } from "@effect-custody/vaults"
import { Effect, Stream } from "effect"
import { page, scriptedClient } from "../../support/clients/scriptedClient.ts"

describe("Vaults", () => {
  it.effect("details and configuration keep whatever comes", () => {
    const { layer } = scriptedClient({ data: { id: 7, name: "Main", colour: "blue" } }, { data: { a: { b: [1] } } })
    return Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* Vaults.details(), { id: "7", name: "Main", extra: { colour: "blue" } })
      assert.deepStrictEqual<unknown>(yield* Vaults.configuration(), { extra: { a: { b: [1] } } })
    }).pipe(Effect.provide(layer))
  })

  it.effect("each list is a stream too", () => {
    const { layer, sent } = scriptedClient(page([{ id: 1 }]))
    return Effect.gen(function* () {
      assert.strictEqual(yield* Stream.runCount(Vaults.streamAssets()), 1)
      assert.strictEqual(yield* Stream.runCount(Vaults.streamNetworks()), 1)
      assert.strictEqual(yield* Stream.runCount(Vaults.streamNetworkSettings()), 1)
      assert.strictEqual(yield* Stream.runCount(Vaults.streamApprovals()), 1)
      assert.strictEqual(yield* Stream.runCount(Vaults.streamPaymentPolicies()), 1)
      assert.strictEqual(yield* Stream.runCount(Vaults.streamGasStationCategories()), 1)
      assert.deepStrictEqual(
        sent.map(({ url }) => url),
        [
          "/vaults/assets?page=1",
          "/vaults/networks?page=1",
          "/vaults/network-settings?page=1",
          "/vaults/approvals?page=1",
          "/vaults/payment-policies?page=1",
          "/vaults/gas-station-categories?page=1"
        ]
      )
    }).pipe(Effect.provide(layer))
  })
})
