import { FiatGateway } from "@effect-custody/fiat-gateway"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

describe("FiatGateway", () => {
  it.effect("getPaymentLink reads a link", () =>
    Effect.gen(function* () {
      const { status, url } = yield* FiatGateway.getPaymentLink({ linkId: "l-1" })
      assert.deepStrictEqual([status, url], ["PENDING", "https://pay.example/l-1"])
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "fiatGateway.getPaymentLink": ({ linkId: id }) =>
            Effect.succeed({ id, status: "PENDING", url: `https://pay.example/${id}` })
        })
      )
    )
  )

  it.effect("refund fails by the service's code if the transaction is not eligible", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(FiatGateway.refund({ transactionId: "t-1" }))
      assert.deepInclude<object>(error, { _tag: "OtherApiError", status: 400, code: "E58004" })
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "fiatGateway.refund": () => CustodyTest.refuse("fiatGateway.refund", { status: 400, code: "E58004" })
        })
      )
    )
  )

  it.effect("streamPaymentLinks reads a client's links page by page", () =>
    Effect.gen(function* () {
      const ids = yield* FiatGateway.streamPaymentLinks({ clientId: "alice", limit: 1 }).pipe(
        Stream.map(({ id }) => id as string),
        Stream.runCollect
      )
      assert.deepStrictEqual(ids, ["l-1", "l-2"])
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "fiatGateway.listPaymentLinks": ({ page = 1 }) =>
            Effect.succeed(CustodyTest.page([{ id: `l-${page}` }], { hasNextPage: page === 1 }))
        })
      )
    )
  )
})
