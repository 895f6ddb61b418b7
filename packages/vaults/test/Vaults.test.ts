import { CustodyTest } from "@effect-custody/testing"
import { Vaults } from "@effect-custody/vaults"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

describe("Vaults", () => {
  it.effect("details reads the vault", () =>
    Effect.gen(function* () {
      const { id, type } = yield* Vaults.details()
      assert.deepStrictEqual([id as string, type], ["7", "CONSOLIDATED"])
    }).pipe(
      Effect.provide(CustodyTest.stub({ "vaults.details": () => Effect.succeed({ id: "7", type: "CONSOLIDATED" }) }))
    )
  )

  it.effect("approval fails by the service's code if there is none with that id", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Vaults.approval({ approvalId: "a-1" }))
      assert.deepInclude<object>(error, { _tag: "NotFound", code: "E52001", isCertain: true })
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "vaults.approval": () => CustodyTest.refuse("vaults.approval", { status: 404, code: "E52001" })
        })
      )
    )
  )

  it.effect("streamAssets reads the vault's assets page by page", () =>
    Effect.gen(function* () {
      const ids = yield* Vaults.streamAssets({ limit: 1 }).pipe(
        Stream.map(({ id }) => id as string),
        Stream.runCollect
      )
      assert.deepStrictEqual(ids, ["btc", "eth"])
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "vaults.assets": ({ page = 1 }) =>
            Effect.succeed(CustodyTest.page([{ id: page === 1 ? "btc" : "eth" }], { hasNextPage: page === 1 }))
        })
      )
    )
  )
})
