import { assert, describe, it } from "@effect/vitest"
import { Vaults } from "@effect-custody/vaults"
import { Effect } from "effect"
import { scriptedClient } from "../../../test/support/clients/scriptedClient.ts"

describe("Vaults", () => {
  it.effect("details and configuration keep every field of the answer", () => {
    const { layer } = scriptedClient({ data: { id: 7, name: "Main", colour: "blue" } }, { data: { a: { b: [1] } } })
    return Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* Vaults.details(), { id: "7", name: "Main", extra: { colour: "blue" } })
      assert.deepStrictEqual<unknown>(yield* Vaults.configuration(), { extra: { a: { b: [1] } } })
    }).pipe(Effect.provide(layer))
  })
})
