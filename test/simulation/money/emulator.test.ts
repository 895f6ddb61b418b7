/**
 * The emulator keeps a ledger too, with everything that a vault knows around it: what the callers learn agrees with it,
 * and so does the history afterwards.
 */
import { Amount, onUncertain, RetryPolicy } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Clients, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"

const faults: ReadonlyArray<readonly [name: string, fault: Fault.Fault]> = [
  ["the answer is lost", Fault.answerLost()],
  ["the request is refused", Fault.neverArrived()],
  ["the request is lost on the way", Fault.neverArrived("ECONNRESET")],
  ["nobody answers, and it is done", Fault.silence()],
  ["nobody answers, and it is not done", Fault.silence({ acts: false })],
  ["the answer breaks off", Fault.truncated(20)],
  ["the request takes a minute", Fault.delayed({ request: "1 minute" })],
  ["the answer takes a minute", Fault.delayed({ answer: "1 minute" })],
  ["a 500 after it was done", Fault.serverError({ acts: true })],
  ["a 503 before it was done", Fault.serverError({ status: 503 })],
  ["a proxy's page after it was done", Fault.html({ acts: true })],
  ["the service asks to wait", Fault.rateLimited("2 seconds")],
  ["the answer has no data", Fault.edited({ data: null })],
  [
    "the token has expired",
    Fault.answered({ status: 498, body: { status: 498, message: "", errors: {}, code: "E40003" } })
  ]
]

const send = (note: string) =>
  ({
    clientId: "alice",
    assetId: "usdc",
    to: "0x52908400098527886E0F7030069857D2E4169EE7",
    amount: Amount.of("12.50"),
    note
  }) as const

/** Lets time pass until the program has come to its end, and for everything else to arrive. */
const inTime = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    // In small steps: in one long one, what is only slow to be scheduled would seem to have been late.
    for (let step = 0; step < 150; step++) yield* TestClock.adjust("4 seconds")
    return yield* Fiber.await(fiber)
  })

const prepared = Effect.gen(function* () {
  const emulator = yield* CustodyEmulator
  yield* Clients.createMany({ ids: ["alice", "bob"] })
  yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
  return emulator
})

describe("against the emulator's ledger", () => {
  it.effect.each(faults)(
    "a payout where %s is made once at most, and its caller knows what can be known",
    ([, fault]) =>
      Effect.gen(function* () {
        const emulator = yield* prepared
        yield* emulator.faults.next("transactions.send", fault)
        const payout = send("payout 1")
        const exit = yield* inTime(Transactions.send(payout))
        const made = (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send").length
        assert.isAtMost(made, 1)
        if (Exit.isSuccess(exit)) return assert.strictEqual(made, 1)
        const error = Cause.findErrorOption(exit.cause)
        if (error._tag === "None" || error.value._tag !== "OutcomeUnknown") return assert.strictEqual(made, 0)
        // The history agrees with the ledger.
        const { _tag } = yield* Transactions.reconcile(error.value, payout)
        assert.strictEqual(_tag, made === 1 ? "Found" : "NotFoundSoFar")
        assert.strictEqual(
          (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send").length,
          made
        )
      }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect.each(faults)(
    "a client whose creation is asked for where %s is there once, and its caller has it",
    ([, fault]) =>
      Effect.gen(function* () {
        const emulator = yield* prepared
        yield* emulator.faults.next("clients.create", fault)
        const exit = yield* inTime(Clients.create({ id: "carol" }))
        const made = (yield* emulator.ledger).filter(({ operation }) => operation === "clients.create").length
        assert.strictEqual(Exit.isSuccess(exit) && String(exit.value.externalId), "carol")
        assert.strictEqual(made, 1)
      }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect.each(faults)("a timeout around a payout where %s: somebody is told if it may have been made", ([, fault]) =>
    Effect.gen(function* () {
      const emulator = yield* prepared
      yield* emulator.faults.next("transactions.send", fault)
      let isTold = false
      const exit = yield* inTime(
        Transactions.send(send("payout 2")).pipe(
          Effect.provideService(onUncertain, () =>
            Effect.sync(() => {
              isTold = true
            })
          ),
          Effect.timeout("5 seconds")
        )
      )
      const made = (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send").length
      const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined
      const isUnknown = error?._tag === "Some" && error.value._tag === "OutcomeUnknown"
      assert.isTrue(made === 0 || Exit.isSuccess(exit) || isUnknown || isTold)
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect("a deadline in place of the timeout: the error itself says that it may have been made", () =>
    Effect.gen(function* () {
      const emulator = yield* prepared
      yield* emulator.faults.next("transactions.send", Fault.silence())
      const exit = yield* inTime(Transactions.send(send("payout 3")).pipe(RetryPolicy.within("5 seconds")))
      const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined
      assert.strictEqual(error?._tag === "Some" && error.value._tag, "OutcomeUnknown")
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )
})
