import { assert, describe, it } from "@effect/vitest"
import { Assets } from "@effect-custody/assets"
import { Amount } from "@effect-custody/core"
import { Effect, Stream } from "effect"
import { page, scriptedClient } from "../../support/clients/scriptedClient.ts"

const bitcoin = { id: "btc", symbol: "BTC", decimals: "8", contractAddress: null }

describe("Assets", () => {
  it.effect("list gives what an asset is; a coin has no contract", () => {
    const { layer, sent } = scriptedClient(page([bitcoin]))
    return Effect.gen(function* () {
      const { items } = yield* Assets.list({ search: "btc" })
      assert.deepStrictEqual<unknown>(items, [{ id: "btc", symbol: "BTC", decimals: 8, extra: {} }])
      assert.strictEqual(sent[0]?.url, "/assets?search=btc")
    }).pipe(Effect.provide(layer))
  })

  it.effect("stream gives every asset", () => {
    const { layer } = scriptedClient(page([bitcoin, bitcoin]))
    return Effect.gen(function* () {
      assert.strictEqual(yield* Assets.stream().pipe(Stream.runCount), 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("prices names each asset once, and gives exact prices", () => {
    const { layer, sent } = scriptedClient({
      data: [
        { assetId: "btc", price: "67123.10", currency: "EUR" },
        { assetId: "test", price: null }
      ]
    })
    return Effect.gen(function* () {
      const [first, second] = yield* Assets.prices({ assetIds: ["btc", "test"], currency: "EUR" })
      assert.strictEqual(Amount.format(first!.price!), "67123.10")
      assert.isUndefined(second?.price)
      assert.strictEqual(sent[0]?.url, "/assets/prices?assetIds=btc&assetIds=test&currency=EUR")
    }).pipe(Effect.provide(layer))
  })

  it.effect("prices of all are asked for by naming none", () => {
    const { layer, sent } = scriptedClient({ data: [] })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* Assets.prices(), [])
      assert.strictEqual(sent[0]?.url, "/assets/prices")
    }).pipe(Effect.provide(layer))
  })
})
