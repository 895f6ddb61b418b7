import { assert, describe, it } from "@effect/vitest"
import { Upload } from "@effect-custody/core"
import { Nfts } from "@effect-custody/nfts"
import { Effect, Stream } from "effect"
import { page, scriptedClient } from "../../support/clients/scriptedClient.ts"

const file = Upload.fromBytes({ name: "deed.png", contentType: "image/png", bytes: new Uint8Array([1, 2, 3]) })

describe("Nfts", () => {
  it.effect("get, networks and transfers read", () => {
    const { layer, sent } = scriptedClient(
      { data: { id: 5, walletId: 12 } },
      page([{ id: "ethereum" }]),
      page([{ id: "t-1", toWalletId: "w-2" }])
    )
    return Effect.gen(function* () {
      const nft = yield* Nfts.get({ nftId: "5" })
      assert.strictEqual(String(nft.walletId), "12")
      yield* Nfts.networks()
      const { items } = yield* Nfts.transfers({ nftId: nft.id, limit: 1 })
      assert.strictEqual(String(items[0]?.toWalletId), "w-2")
      assert.deepStrictEqual(
        sent.map(({ method, url }) => `${method} ${url}`),
        ["GET /nfts/5", "GET /nfts/networks", "GET /nfts/5/transfers?limit=1"]
      )
    }).pipe(Effect.provide(layer))
  })

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

  it.effect("create uploads the file", () => {
    const { layer, sent } = scriptedClient({ data: { id: "nft-1" } })
    return Effect.gen(function* () {
      const nft = yield* Nfts.create({ name: "Deed 17", networkId: "ethereum", file })
      assert.strictEqual(String(nft.id), "nft-1")
      assert.strictEqual(sent[0]?.url, "/nfts/create")
      const body = String(sent[0]?.body)
      assert.include(body, 'name="name"\r\n\r\nDeed 17\r\n')
      assert.include(body, 'name="file"; filename="deed.png"\r\nContent-Type: image/png\r\n\r\n\u0001\u0002\u0003\r\n')
    }).pipe(Effect.provide(layer))
  })

  it.effect("transfer names both wallets", () => {
    const { layer, sent } = scriptedClient({ data: { id: "t-1" } })
    return Effect.gen(function* () {
      const transfer = yield* Nfts.transfer({ nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" })
      assert.strictEqual(String(transfer.id), "t-1")
      assert.deepStrictEqual(sent, [
        { method: "POST", url: "/nfts/nft-1/transfer", body: { fromWalletId: "w-1", toWalletId: "w-2" } }
      ])
    }).pipe(Effect.provide(layer))
  })
})
