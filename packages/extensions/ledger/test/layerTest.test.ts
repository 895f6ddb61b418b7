import { Amount, Outcome } from "@effect-custody/core"
import { LedgerError, type PayoutState, Payouts } from "@effect-custody/ledger"
import * as LedgerErrors from "@effect-custody/ledger/LedgerError"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

const order = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }

/** Does not compile if an error of the ledger has no status. */
type EveryError = {
  readonly [Name in keyof typeof LedgerErrors]: InstanceType<(typeof LedgerErrors)[Name]> extends Outcome.WithHttpStatus
    ? number
    : never
}

it("every error of the ledger has an HTTP status", () => {
  const statuses: EveryError = {
    ReferenceConflict: 409,
    OrdersInvalid: 422,
    AllowanceExceeded: 422,
    PayoutRefused: 422,
    PayoutFailed: 422,
    PayoutUndecided: 202,
    LedgerStopped: 503,
    StepRefused: 409,
    LedgerError: 503
  }
  const errors = [
    new LedgerErrors.ReferenceConflict({ references: [] }),
    new LedgerErrors.OrdersInvalid({ issues: [] }),
    new LedgerErrors.AllowanceExceeded({ batch: "", of: "", allowed: "", used: "" }),
    new LedgerErrors.PayoutRefused({ reference: "", reason: "" }),
    new LedgerErrors.PayoutFailed({ reference: "", transactionId: "", status: "" }),
    new LedgerErrors.PayoutUndecided({ reference: "", since: DateTime.makeUnsafe(0), evidence: "" }),
    new LedgerErrors.LedgerStopped({ payouts: [] }),
    new LedgerErrors.StepRefused({ step: "decide", subject: "", reason: "" }),
    new LedgerErrors.LedgerError({ operation: "", reason: "" })
  ]
  assert.deepStrictEqual(
    Object.fromEntries(errors.map((error) => [error._tag, Outcome.httpStatusOfKnown(error)])),
    statuses
  )
  // @ts-expect-error -- an error without a status of its own.
  assert.strictEqual(Outcome.httpStatusOfKnown(new Error("of somebody else")), 500)
})

describe("Payouts.layerTest", () => {
  it.effect("pays at once, once for each reference, and lists what it has paid", () =>
    Effect.gen(function* () {
      const paid = yield* Payouts.pay("p-1", order)
      assert.deepInclude(paid, { ...order, state: "paid", note: "p-1", batch: "p-1", attempt: 1 })
      assert.isNotNull(paid.transactionId)
      yield* Payouts.pay("p-1", { ...order, amount: Amount.of("12.5") })
      yield* Payouts.hold({ batch: "june", by: "ann", orders: [{ ...order, reference: "p-2" }] })
      assert.deepStrictEqual((yield* Payouts.progress()).states, { paid: 1, held: 1 })
      const june = yield* Payouts.list({ batch: "june", state: "held" })
      assert.deepStrictEqual(
        june.map(({ reference }) => reference),
        ["p-2"]
      )
      assert.isTrue(Option.isNone(yield* Payouts.get("p-3")))
    }).pipe(Effect.provide(Payouts.layerTest()))
  )

  it.effect("refuses what a ledger refuses, and keeps nothing of it", () =>
    Effect.gen(function* () {
      yield* Payouts.pay("p-1", order)
      const conflict = { ...order, reference: "p-1", amount: Amount.of("13"), note: "n-1" }
      const noted = { ...order, reference: "p-2", note: "p-1" }
      const orders = [conflict, noted, { ...order, reference: "p-3" }]
      assert.deepStrictEqual((yield* Payouts.preview(orders)).conflicts, ["p-1", "p-2"])
      const refused = yield* Effect.flip(Payouts.submit({ batch: "b", by: "ann", orders }))
      assert.deepInclude(refused, { _tag: "ReferenceConflict", references: ["p-1", "p-2"] })
      const invalid = yield* Effect.flip(Payouts.pay("p-4", { ...order, amount: Amount.of("0") }))
      assert.strictEqual(invalid._tag, "OrdersInvalid")
      assert.strictEqual((yield* Effect.flip(Payouts.pay("p\n4", order)))._tag, "OrdersInvalid")
      const { known, repeats } = yield* Payouts.preview([
        { ...order, reference: "p-5" },
        { ...order, reference: "p-1" }
      ])
      assert.deepStrictEqual([known, repeats], [1, [{ reference: "p-5", of: "p-1" }]])
      assert.lengthOf(yield* Payouts.list(), 1)
    }).pipe(Effect.provide(Payouts.layerTest()))
  )

  it.effect("holds what is allowed, and keeps nothing of what is not", () =>
    Effect.gen(function* () {
      const hold = (reference: string) =>
        Payouts.hold({
          batch: "agents",
          by: "agent",
          orders: [{ ...order, reference }],
          atMost: { payouts: 2, sums: { usdc: Amount.of("20") } }
        })
      for (const added of [1, 0]) assert.strictEqual(yield* hold("p-1"), added)
      assert.strictEqual(Option.getOrThrow(yield* Payouts.get("p-1")).state, "held")
      const { message } = yield* Effect.flip(hold("p-2"))
      assert.strictEqual(message, "nothing was submitted: agents may have 20 usdc, and has 12.5 already")
      assert.lengthOf(yield* Payouts.list(), 1)
    }).pipe(Effect.provide(Payouts.layerTest()))
  )

  it.effect.each([
    ["refused", "PayoutRefused"],
    ["failed", "PayoutFailed"],
    ["undecided", "PayoutUndecided"]
  ] as const)("pay of a payout that is %s fails with %s", ([state, tag]) =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(Payouts.pay("p-1", order))
      assert.strictEqual(failed._tag, tag)
      assert.include(failed.message, "a reason")
    }).pipe(Effect.provide(Payouts.layerTest(() => ({ state, detail: "a reason" }))))
  )

  it.effect("a payout is what was told last, until it has ended", () => {
    let state: PayoutState = "sending"
    return Effect.gen(function* () {
      const paying = yield* Effect.forkChild(Payouts.pay("p-1", order))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(Option.getOrThrow(yield* Payouts.get("p-1")).state, "sending")
      state = "paid"
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(paying)).state, "paid")
      state = "refused"
      assert.strictEqual((yield* Payouts.pay("p-1", order)).state, "paid")
    }).pipe(Effect.provide(Payouts.layerTest(() => ({ state }))))
  })

  it.effect("each build of the layer has payouts of its own, and what only people do is a defect", () => {
    const payouts = Payouts.layerTest()
    return Effect.gen(function* () {
      yield* Effect.provide(Payouts.pay("p-1", order), payouts, { local: true })
      assert.lengthOf(yield* Effect.provide(Payouts.list(), payouts, { local: true }), 0)
      const asked = yield* Effect.exit(
        Effect.provide(Payouts.acknowledge("p-1", { by: "ann", reason: "looked" }), payouts)
      )
      assert.isTrue(Exit.isFailure(asked) && Cause.hasDies(asked.cause))
    })
  })
})

describe("a fake of Payouts", () => {
  it.effect("Layer.mock fakes some of its functions", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(Payouts.pay("p-1", order))
      assert.strictEqual(failed._tag, "LedgerError")
    }).pipe(
      Effect.provide(
        Layer.mock(Payouts.Payouts)({
          pay: () => Effect.fail(new LedgerError({ operation: "submit", reason: "the database is down" }))
        })
      )
    )
  )
})
