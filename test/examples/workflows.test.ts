import { Amount } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Wallets } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestConsole } from "effect/testing"
import { day } from "../../examples/workflows/day.ts"
import { World } from "../../examples/workflows/World.ts"

/** What all clients have of an asset, as a decimal. */
const held = Effect.fnUntraced(function* (assetId: string) {
  const wallets = yield* Stream.runCollect(Wallets.stream({ assetId }))
  return Object.fromEntries(wallets.map(({ balance, clientId }) => [clientId, balance && Amount.format(balance)]))
})

describe("the workflows example", () => {
  it.effect("the books balance at the end of a day with expired tokens and a lost answer", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* emulator.faults.next("transactions.send", Fault.answerLost())
      yield* CustodyTest.fastForward()(day)

      const operations = (yield* emulator.ledger).map(({ operation }) => operation)
      assert.deepStrictEqual(operations, [
        "clients.createMany",
        "paymentOrders.create",
        "paymentOrders.selectAsset",
        "transactions.send",
        "transactions.transfer",
        "tokens.create",
        "tokens.mint",
        "fiatGateway.createPaymentLink",
        "fiatGateway.refund"
      ])
      // 99.90 EUR of USDC, less 40 to the supplier and 25.50 to bob.
      assert.deepStrictEqual(yield* held("usdc"), { alice: "43.086957", bob: "25.50" })
      assert.strictEqual((yield* emulator.counts).refreshes, 2)

      const story = (yield* TestConsole.logLines).join("\n")
      for (const part of ["The history has it", "is BROADCASTING", "The service says no", "carol has 250 ACME30."]) {
        assert.include(story, part)
      }
    }).pipe(Effect.provide(Layer.provideMerge(World.layer, CustodyEmulator.layer)))
  )
})
