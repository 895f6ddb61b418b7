import { Nfts } from "@effect-custody/nfts"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

describe("Nfts", () => {
  it.effect("get reads an NFT", () =>
    Effect.gen(function* () {
      const { name, walletId } = yield* Nfts.get({ nftId: "nft-1" })
      assert.deepStrictEqual([name, walletId as string], ["Deed 17", "w-1"])
    }).pipe(
      Effect.provide(
        CustodyTest.stub({ "nfts.get": ({ nftId: id }) => Effect.succeed({ id, name: "Deed 17", walletId: "w-1" }) })
      )
    )
  )

  it.effect("transfer fails by the service's code", () =>
    Effect.gen(function* () {
      const moved = Nfts.transfer({ nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" })
      assert.deepInclude<object>(yield* Effect.flip(moved), { _tag: "OtherApiError", status: 400, code: "E56005" })
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "nfts.transfer": () => CustodyTest.refuse("nfts.transfer", { status: 400, code: "E56005" })
        })
      )
    )
  )

  it.effect("streamTransfers reads an NFT's transfers page by page", () =>
    Effect.gen(function* () {
      const ids = yield* Nfts.streamTransfers({ nftId: "nft-1", limit: 1 }).pipe(
        Stream.map(({ id }) => id as string),
        Stream.runCollect
      )
      assert.deepStrictEqual(ids, ["t-1", "t-2"])
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "nfts.transfers": ({ page = 1 }) =>
            Effect.succeed(CustodyTest.page([{ id: `t-${page}`, status: "COMPLETED" }], { hasNextPage: page === 1 }))
        })
      )
    )
  )
})
