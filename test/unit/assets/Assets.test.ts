import { assert, describe, it } from "@effect/vitest"
import { Assets } from "@effect-custody/assets"
import { Effect, Stream } from "effect"
import { page, scriptedClient } from "../../support/clients/scriptedClient.ts"

const bitcoin = { id: "btc", symbol: "BTC", decimals: "8", contractAddress: null }

describe("Assets", () => {
  it.effect("stream gives every asset", () => {
    const { layer } = scriptedClient(page([bitcoin, bitcoin]))
    return Effect.gen(function* () {
      assert.strictEqual(yield* Assets.stream().pipe(Stream.runCount), 2)
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
