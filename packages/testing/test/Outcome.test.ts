import {
  Amount,
  type CustodyClient,
  type NotFound,
  NotSent,
  Outcome,
  type OutcomeUnknown,
  TransportError
} from "@effect-custody/core"
import { Transactions } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { type Cause, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const order = Transactions.send({
  clientId: "alice",
  assetId: "usdc",
  to: "0xabc",
  amount: Amount.of("12.50")
})

const send = Outcome.of(order)

describe("Outcome.of", () => {
  it.effect("Outcome.of is Done, NotDone with the error of a call that certainly did nothing, or Unknown", () =>
    Effect.gen(function* () {
      const under = (answer: NonNullable<CustodyTest.Stubs["transactions.send"]>) =>
        send.pipe(Effect.provide(CustodyTest.stub({ "transactions.send": answer })))
      const done = yield* under(() => Effect.succeed({ id: "t-1" }))
      assert(done._tag === "Done" && String(done.value.id) === "t-1")
      const notDone = yield* under(() => CustodyTest.refuse("transactions.send", { status: 404 }))
      assert(notDone._tag === "NotDone" && notDone.error._tag === "NotFound")
      const unknown = yield* under(() => CustodyTest.outcomeUnknown("transactions.send"))
      assert(unknown._tag === "Unknown" && unknown.error.operation === "transactions.send")
    })
  )

  it.effect("Outcome.of is Unknown after an Effect.timeout, which cannot know what was sent", () =>
    Effect.gen(function* () {
      const timed: Effect.Effect<
        Outcome.Outcome<unknown, Transactions.SendError | Cause.TimeoutError>,
        never,
        CustodyClient
      > = order.pipe(Effect.timeout("300 millis"), Outcome.of)
      const fiber = yield* Effect.forkChild(timed)
      yield* TestClock.adjust("300 millis")
      const outcome = yield* Fiber.join(fiber)
      assert(outcome._tag === "Unknown")
      expectTypeOf(outcome.error).toEqualTypeOf<OutcomeUnknown | Cause.TimeoutError>()
      assert.strictEqual(outcome.error._tag, "TimeoutError")
    }).pipe(Effect.provide(CustodyTest.stub({ "transactions.send": () => Effect.never })))
  )

  it.effect("Outcome.of is NotDone after NotSent", () =>
    Effect.gen(function* () {
      const operation = "transactions.send"
      const silent = new TransportError({ operation, phase: "MaybeProcessed", reason: "ECONNRESET" })
      const unsent = new NotSent({ operation, reason: "ECONNREFUSED" })
      assert.strictEqual((yield* Outcome.of(Effect.fail(unsent)))._tag, "NotDone")
      assert.strictEqual((yield* Outcome.of(Effect.fail(silent)))._tag, "Unknown")
    })
  )

  it("the type of Outcome.of has the certain errors under NotDone, and all others under Unknown", () => {
    type Ended = Outcome.Outcome<string, Transactions.SendError | Cause.TimeoutError>
    type NotDone = Extract<Ended, { _tag: "NotDone" }>["error"]
    expectTypeOf<NotDone>().toEqualTypeOf<Exclude<Transactions.SendError, OutcomeUnknown>>()
    expectTypeOf<
      Extract<Outcome.Outcome<string, unknown>, { _tag: "NotDone" }>["error"]
    >().toEqualTypeOf<Outcome.Certain>()
  })

  it("the type of Outcome.of has no failure, and keeps OutcomeUnknown apart from the other errors", () => {
    type Error = NotFound | OutcomeUnknown
    const call: Effect.Effect<string, Error> = Effect.succeed("done")
    expectTypeOf(Outcome.of(call)).toEqualTypeOf<Effect.Effect<Outcome.Outcome<string, Error>>>()
    expectTypeOf<Extract<Outcome.Outcome<string, Error>, { _tag: "NotDone" }>["error"]>().toEqualTypeOf<NotFound>()
  })
})
