import { assert, describe, it } from "@effect/vitest"
import { Assets } from "@effect-custody/assets"
import { Effect } from "effect"
import { scriptedClient } from "../../../test/support/clients/scriptedClient.ts"

describe("Assets", () => {
  it.effect("prices without assetIds requests the prices of all assets", () => {
    const { layer, sent } = scriptedClient({ data: [] })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* Assets.prices(), [])
      assert.strictEqual(sent[0]?.url, "/assets/prices")
    }).pipe(Effect.provide(layer))
  })
})
