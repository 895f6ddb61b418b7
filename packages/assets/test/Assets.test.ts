import { Assets } from "@effect-custody/assets"
import { Amount } from "@effect-custody/core"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

const listed = CustodyTest.stub({
  "assets.list": ({ page = 1 }) =>
    Effect.succeed(
      page === 1
        ? CustodyTest.page([{ id: "btc", symbol: "BTC", decimals: 8, price: Amount.of("64000") }], {
            hasNextPage: true
          })
        : CustodyTest.page([{ id: "acme", symbol: "ACME", decimals: 2 }])
    )
})

describe("Assets", () => {
  it.effect("configuration reads how the vault uses its assets", () =>
    Effect.gen(function* () {
      const { items } = yield* Assets.configuration()
      assert.deepStrictEqual([items[0]?.assetId as string, items[0]?.enabled], ["btc", true])
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "assets.configuration": () => Effect.succeed(CustodyTest.page([{ assetId: "btc", enabled: true }]))
        })
      )
    )
  )

  it.effect("list fails by the service's code", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Assets.list({ search: "usdc" }))
      assert.deepInclude<object>(error, { _tag: "BadRequest", code: "E40000" })
    }).pipe(
      Effect.provide(CustodyTest.stub({ "assets.list": () => CustodyTest.refuse("assets.list", { code: "E40000" }) }))
    )
  )

  it.effect("stream reads all assets page by page", () =>
    Effect.gen(function* () {
      const symbols = yield* Assets.stream({ limit: 1 }).pipe(
        Stream.map(({ symbol }) => symbol),
        Stream.runCollect
      )
      assert.deepStrictEqual(symbols, ["BTC", "ACME"])
    }).pipe(Effect.provide(listed))
  )

  it.effect("prices reads the prices from the records of all pages, and leaves out an asset without one", () =>
    Effect.gen(function* () {
      const prices = yield* Assets.prices({ limit: 1 })
      assert.deepStrictEqual(
        [...prices].map(([id, price]) => [id, Amount.format(price)]),
        [["btc", "64000"]]
      )
    }).pipe(Effect.provide(listed))
  )
})
