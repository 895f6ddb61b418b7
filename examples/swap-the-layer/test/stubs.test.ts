/** Stubs: the decisions of the workflow itself. The workflow must not call what a test does not stub. */
import { Amount } from "@effect-custody/core"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { type Payout, payOut } from "../payout.ts"

const payout: Payout = { name: "p-1", clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("40") }

const wallet = (balance: string) =>
  CustodyTest.page([{ id: "w-1", address: "0xdef", balance: Amount.fromStringUnsafe(balance) }])
const nothing = CustodyTest.page([])

describe("a payout on stubs", () => {
  it.effect("a payout sends the order under its name, and returns the completed transaction", () =>
    Effect.gen(function* () {
      const { id } = yield* payOut(payout)
      assert.strictEqual<string>(id, "t-1")
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "transactions.list": () => Effect.succeed(nothing),
          "wallets.list": () => Effect.succeed(wallet("40")),
          "transactions.send": (input) => {
            assert.deepStrictEqual(input, {
              clientId: "alice",
              assetId: "usdc",
              to: "0xabc",
              amount: payout.amount,
              note: "p-1"
            })
            return Effect.succeed({ id: "t-1" })
          },
          "transactions.get": () => Effect.succeed({ id: "t-1", status: "COMPLETED" })
        })
      )
    )
  )

  it.effect("a payout sends nothing if the client has too little", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(payOut(payout))
      assert.strictEqual(error.message, "alice has 39.99 of the 40")
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "transactions.list": () => Effect.succeed(nothing),
          "wallets.list": () => Effect.succeed(wallet("39.99"))
        })
      )
    )
  )

  it.effect("a payout follows an earlier transaction, and sends nothing", () =>
    Effect.gen(function* () {
      const { id } = yield* payOut(payout)
      assert.strictEqual<string>(id, "t-7")
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "transactions.list": () =>
            Effect.succeed(CustodyTest.page([{ id: "t-7", status: "BROADCASTING", note: "p-1" }])),
          "transactions.get": ({ transactionId }) => Effect.succeed({ id: transactionId, status: "COMPLETED" })
        })
      )
    )
  )

  it.effect("a payout passes on the service's refusal of the order", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(payOut(payout))
      assert.strictEqual(error._tag, "ValidationFailed")
      if (error._tag === "ValidationFailed") assert.deepStrictEqual(error.fields, { to: ["is not an address"] })
    }).pipe(
      Effect.provide(
        CustodyTest.stub({
          "transactions.list": () => Effect.succeed(nothing),
          "wallets.list": () => Effect.succeed(wallet("40")),
          "transactions.send": () => CustodyTest.refuse("transactions.send", { fields: { to: ["is not an address"] } })
        })
      )
    )
  )

  it.effect("a payout takes a failed look at the history for no answer", () =>
    Effect.gen(function* () {
      const looks = yield* Ref.make(0)
      const stubs = CustodyTest.stub({
        "transactions.list": () =>
          Effect.flatMap(
            Ref.getAndUpdate(looks, (n) => n + 1),
            (n) => (n === 0 ? Effect.succeed(nothing) : CustodyTest.refuse("transactions.list", { status: 500 }))
          ),
        "wallets.list": () => Effect.succeed(wallet("40")),
        "transactions.send": () => CustodyTest.outcomeUnknown("transactions.send")
      })
      const error = yield* Effect.flip(payOut(payout)).pipe(Effect.provide(stubs))
      assert.strictEqual(error._tag, "PayoutUnknown")
      assert.isAbove(yield* Ref.get(looks), 2)
    }).pipe(CustodyTest.fastForward())
  )
})
