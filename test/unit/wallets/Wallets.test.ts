import { assert, describe, it } from "@effect/vitest"
import { Wallets } from "@effect-custody/wallets"
import { Effect, Stream } from "effect"
import { page, scriptedClient, tagOf } from "../../support/clients/scriptedClient.ts"

describe("Wallets", () => {
  it.effect("stream keeps the filters from page to page", () => {
    const wallet = (id: number) => ({ id, address: "0xabc" })
    const { layer, sent } = scriptedClient(
      page([wallet(1)], { hasNextPage: true }),
      page([wallet(2)], { hasNextPage: false })
    )
    return Effect.gen(function* () {
      assert.strictEqual(yield* Wallets.stream({ clientId: "alice" }).pipe(Stream.runCount), 2)
      assert.deepStrictEqual(
        sent.map(({ url }) => url),
        ["/wallets/client-wallets?page=1&clientId=alice", "/wallets/client-wallets?page=2&clientId=alice"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("a balance that is not an amount is no balance", () => {
    const { layer } = scriptedClient({ data: { balance: "much" } })
    return Effect.gen(function* () {
      const balance = Wallets.balance({ walletId: "w-1" })
      assert.strictEqual(yield* tagOf(balance), "UnexpectedResponse")
    }).pipe(Effect.provide(layer))
  })
})
