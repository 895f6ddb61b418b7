import { assert, describe, it } from "@effect/vitest"
import { Nfts } from "@effect-custody/nfts"
import { Effect, Stream } from "effect"
import { page, scriptedClient } from "../../support/clients/scriptedClient.ts"

describe("Nfts", () => {
  it.effect("streams read on, with the NFT in the path", () => {
    const { layer, sent } = scriptedClient(page([{ id: 1 }], { hasNextPage: true }), page([{ id: 2 }]))
    return Effect.gen(function* () {
      assert.strictEqual(yield* Nfts.streamTransfers({ nftId: "5" }).pipe(Stream.runCount), 2)
      assert.strictEqual(yield* Nfts.streamNetworks().pipe(Stream.runCount), 1)
      assert.deepStrictEqual(
        sent.map(({ url }) => url),
        ["/nfts/5/transfers?page=1", "/nfts/5/transfers?page=2", "/nfts/networks?page=1"]
      )
    }).pipe(Effect.provide(layer))
  })
})
