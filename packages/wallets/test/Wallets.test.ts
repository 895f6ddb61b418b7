import { assert, describe, it } from "@effect/vitest"
import { Wallets } from "@effect-custody/wallets"
import { Effect } from "effect"
import { scriptedClient, tagOf } from "../../../test/support/clients/scriptedClient.ts"

describe("Wallets", () => {
  it.effect("balance refuses an answer whose balance is not an amount", () => {
    const { layer } = scriptedClient({ data: { balance: "much" } })
    return Effect.gen(function* () {
      const balance = Wallets.balance({ walletId: "w-1" })
      assert.strictEqual(yield* tagOf(balance), "UnexpectedResponse")
    }).pipe(Effect.provide(layer))
  })
})
