import { Amount, type NotFound, Outcome, type OutcomeUnknown } from "@effect-custody/core"
import { Transactions } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect } from "effect"

const send = Transactions.send({
  clientId: "alice",
  assetId: "usdc",
  to: "0xabc",
  amount: Amount.of("12.50")
}).pipe(Outcome.of)

describe("Outcome.of", () => {
  it.effect("is Done with the payload of a call that succeeds", () =>
    Effect.gen(function* () {
      const outcome = yield* send
      assert(outcome._tag === "Done")
      assert.strictEqual(outcome.value.id, "t-1")
    }).pipe(Effect.provide(CustodyTest.stub({ "transactions.send": () => Effect.succeed({ id: "t-1" }) })))
  )

  it.effect("is NotDone with the error of a call that certainly did nothing", () =>
    Effect.gen(function* () {
      const outcome = yield* send
      assert(outcome._tag === "NotDone")
      assert.strictEqual(outcome.error._tag, "NotFound")
    }).pipe(
      Effect.provide(
        CustodyTest.stub({ "transactions.send": () => CustodyTest.refuse("transactions.send", { status: 404 }) })
      )
    )
  )

  it.effect("is Unknown if it may have happened", () =>
    Effect.gen(function* () {
      const outcome = yield* send
      assert(outcome._tag === "Unknown")
      assert.strictEqual(outcome.error.operation, "transactions.send")
    }).pipe(
      Effect.provide(CustodyTest.stub({ "transactions.send": () => CustodyTest.outcomeUnknown("transactions.send") }))
    )
  )

  it("never fails, and keeps OutcomeUnknown apart from the other errors, in its type", () => {
    type Error = NotFound | OutcomeUnknown
    const call: Effect.Effect<string, Error> = Effect.succeed("done")
    expectTypeOf(Outcome.of(call)).toEqualTypeOf<Effect.Effect<Outcome.Outcome<string, Error>>>()
    expectTypeOf<Extract<Outcome.Outcome<string, Error>, { _tag: "NotDone" }>["error"]>().toEqualTypeOf<NotFound>()
  })
})
