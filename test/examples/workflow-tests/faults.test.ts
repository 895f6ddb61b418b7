/** Faults: the session, the network or the service fails during a payout. */
import { Amount } from "@effect-custody/core"
import { CustodyTest, Faults, VirtualSession, WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { payOut } from "../../../examples/workflow-tests/payout.ts"
import { alice, payout, sends } from "./alice.ts"

/** A test on the emulator, in no time; when it fails, it shows what went over the wire. */
const inKit = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(CustodyTest.fastForward(), WireLog.printOnFailure, Effect.provide(CustodyTest.layer))

const survived = [
  ["the token expires before it", Faults.expireTokens],
  ["the token expires between two calls", Faults.next("transactions.send", Faults.tokenExpired)],
  ["the answer to the send is lost", Faults.next("transactions.send", Faults.answerLost)],
  [
    "the token expires and then the answer is lost",
    Faults.play(
      Faults.next("transactions.send", Faults.tokenExpired),
      Faults.next("transactions.send", Faults.answerLost)
    )
  ],
  ["the send never arrives at first", Faults.next("transactions.send", Faults.neverArrived)],
  ["there are too many requests", Faults.next("transactions.send", Faults.rateLimited("3 seconds"))],
  ["looking fails twice", Faults.times(2)("transactions.get", Faults.serverError)],
  ["the history is slow", Faults.always("transactions.list", Faults.slow("5 seconds"))]
] as const

describe("a payout with faults", () => {
  it.effect.each(survived)("a payout is paid once although %s", ([, fault]) =>
    Effect.gen(function* () {
      yield* alice
      yield* Faults.play(fault)
      assert.strictEqual((yield* payOut(payout)).status, "COMPLETED")
      assert.strictEqual(yield* sends, 1)
    }).pipe(inKit)
  )

  it.effect(
    "a payout is unknown if its send breaks off and the history does not show it, and it is not sent again",
    () =>
      Effect.gen(function* () {
        yield* alice
        yield* Faults.play(Faults.next("transactions.send", Faults.reset))
        const error = yield* Effect.flip(payOut(payout))
        assert.strictEqual(error._tag, "PayoutUnknown")
        const sent = (yield* WireLog.use(({ entries }) => entries)).filter(
          ({ operation }) => operation === "transactions.send"
        )
        assert.strictEqual(sent.length, 1)
      }).pipe(inKit)
  )

  it.effect("a payout reports that the network rejected it, and the money is back", () =>
    Effect.gen(function* () {
      yield* alice
      yield* Faults.play(Faults.failNextTransaction("REJECTED"))
      assert.match((yield* Effect.flip(payOut(payout))).message, /ended as REJECTED/)
      const everything = { ...payout, name: "everything", amount: Amount.of("100") }
      assert.strictEqual((yield* payOut(everything)).status, "COMPLETED")
    }).pipe(inKit)
  )

  it.effect("a payout does not begin without a session", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(payOut(payout)))._tag, "SessionLost")
      assert.strictEqual(yield* sends, 0)
    }).pipe(Effect.provide(VirtualSession.lost))
  )
})
