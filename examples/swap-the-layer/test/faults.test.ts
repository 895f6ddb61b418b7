/** Faults: the session, the network or the service fails during a payout. */
import { Amount } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { CustodyTest, WireLog } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { payOut } from "../payout.ts"
import { alice, payout, sends } from "./alice.ts"

/** A test on the emulator, in no time; when it fails, it shows what went over the wire. */
const onEmulator = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(CustodyTest.fastForward(), WireLog.printOnFailure, Effect.provide(WireLog.layerEmulator))

const survived = [
  ["the token expires between two calls", "transactions.send", [Fault.refused("E40003")]],
  ["the answer to the send is lost", "transactions.send", [Fault.answerLost()]],
  ["the token expires and then the answer is lost", "transactions.send", [Fault.refused("E40003"), Fault.answerLost()]],
  ["the send never arrives at first", "transactions.send", [Fault.neverArrived()]],
  ["there are too many requests", "transactions.send", [Fault.rateLimited("3 seconds")]],
  ["looking fails twice", "transactions.get", [Fault.serverError(), Fault.serverError()]],
  ["the history is slow", "transactions.list", [Fault.delayed({ answer: "5 seconds" })]]
] as const

describe("a payout with faults", () => {
  it.effect.each(survived)("a payout is paid once although %s", ([, operation, all]) =>
    Effect.gen(function* () {
      const { faults } = yield* CustodyEmulator
      yield* alice
      for (const fault of all) yield* faults.next(operation, fault)
      assert.strictEqual((yield* payOut(payout)).status, "COMPLETED")
      assert.strictEqual(yield* sends, 1)
    }).pipe(onEmulator)
  )

  it.effect("a payout is paid once although the token has expired before it", () =>
    Effect.gen(function* () {
      yield* alice
      yield* (yield* CustodyEmulator).expireTokens
      assert.strictEqual((yield* payOut(payout)).status, "COMPLETED")
      assert.strictEqual(yield* sends, 1)
    }).pipe(onEmulator)
  )

  it.effect(
    "a payout is unknown if its send breaks off and the history does not show it, and it is not sent again",
    () =>
      Effect.gen(function* () {
        yield* alice
        yield* (yield* CustodyEmulator).faults.next("transactions.send", Fault.reset())
        const error = yield* Effect.flip(payOut(payout))
        assert.strictEqual(error._tag, "PayoutUnknown")
        const sent = (yield* WireLog.use(({ entries }) => entries)).filter(
          ({ operation }) => operation === "transactions.send"
        )
        assert.strictEqual(sent.length, 1)
      }).pipe(onEmulator)
  )

  it.effect("a payout reports that the network rejected it, and the money is back", () =>
    Effect.gen(function* () {
      yield* alice
      yield* (yield* CustodyEmulator).failNext()
      assert.match((yield* Effect.flip(payOut(payout))).message, /ended as REJECTED/)
      const everything = { ...payout, name: "everything", amount: Amount.of("100") }
      assert.strictEqual((yield* payOut(everything)).status, "COMPLETED")
    }).pipe(onEmulator)
  )

  it.effect("a payout does not begin when the session is lost", () =>
    Effect.gen(function* () {
      yield* alice
      const { expireTokens, revokeSessions } = yield* CustodyEmulator
      yield* revokeSessions
      yield* expireTokens
      assert.strictEqual((yield* Effect.flip(payOut(payout)))._tag, "InvalidAccessToken")
      assert.strictEqual(yield* sends, 0)
    }).pipe(onEmulator)
  )
})
