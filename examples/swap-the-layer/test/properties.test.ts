/** Properties: statements that hold for every payout, record and fault. */
import { Amount } from "@effect-custody/core"
import { Wallets } from "@effect-custody/sdk"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { CustodyTest, Generators, WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, BigDecimal, Effect, Schema, Stream } from "effect"
import { payOut } from "../payout.ts"
import { alice, payout, sends } from "./alice.ts"

const zero = BigDecimal.fromBigInt(0n)
const total = (amounts: ReadonlyArray<BigDecimal.BigDecimal | undefined>) =>
  amounts.reduce<BigDecimal.BigDecimal>((sum, amount) => BigDecimal.sum(sum, amount ?? zero), zero)

/** Pays, and tries again for as long as that may be done: whether it is paid in the end, or nobody knows. */
const persist = payOut(payout).pipe(
  Effect.as(true),
  Effect.catchTag("PayoutUnknown", () => Effect.succeed(false)),
  Effect.retry({ times: 20 })
)

const calls = ["transactions.list", "wallets.list", "transactions.send", "transactions.get"] as const
const kinds = [Fault.answerLost(), Fault.reset(), Fault.neverArrived(), Fault.serverError(), Fault.refused("E40003")]

/** Each call goes wrong in each way now and then. */
const weather = Effect.fnUntraced(function* (seed: number) {
  const { faults } = yield* CustodyEmulator
  for (const [at, kind] of kinds.entries()) {
    const fault = Fault.sometimes({ probability: 0.1, seed: seed + at }, kind)
    for (const call of calls) yield* faults.next(call, fault, { times: Infinity })
  }
})

describe("any payout", () => {
  it.effect.prop(
    "a payout is sent at most once for any number of tries and any faults",
    [Schema.Int],
    ([seed]) =>
      Effect.gen(function* () {
        yield* alice
        yield* weather(seed)
        const paid = yield* persist
        yield* (yield* CustodyEmulator).faults.clear
        const sent = yield* sends
        assert.isTrue(paid ? sent === 1 : sent <= 1)
        const wallets = yield* Stream.runCollect(Wallets.stream({ clientId: "alice", assetId: "usdc" }))
        assert.strictEqual(BigDecimal.format(total(wallets.map(({ balance }) => balance))), String(100 - 40 * sent))
      }).pipe(
        CustodyTest.fastForward({ atMost: "1 day" }),
        WireLog.printOnFailure,
        Effect.provide(WireLog.layerEmulator)
      ),
    { arbitrary: { runs: 30 } }
  )

  it.effect.prop(
    "a payout never exceeds the total of the wallets, for any wallets of the service",
    [Arbitrary.array(Generators.record("wallets.list"), { maxLength: 5 }), Generators.Amount],
    ([wallets, amount]) =>
      Effect.gen(function* () {
        const had = total(wallets.map(({ balance }) => balance))
        const exit = yield* Effect.exit(payOut({ ...payout, amount }))
        const enough = BigDecimal.isLessThanOrEqualTo(amount, had) && BigDecimal.isGreaterThan(amount, zero)
        assert.strictEqual(exit._tag, enough ? "Success" : "Failure", `${Amount.format(amount)}`)
      }).pipe(
        Effect.provide(
          CustodyTest.stub({
            "transactions.list": () => Effect.succeed(CustodyTest.page([])),
            "wallets.list": () => Effect.succeed(CustodyTest.page(wallets)),
            "transactions.send": () => Effect.succeed({ id: "t-1" }),
            "transactions.get": () => Effect.succeed({ id: "t-1", status: "COMPLETED" })
          })
        )
      )
  )
})
