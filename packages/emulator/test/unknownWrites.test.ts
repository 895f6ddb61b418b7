/** The client sends a write with an unknown outcome no second time until the outcome is resolved. */
import { Outcome, type OutcomeUnknown } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Fiber, Layer, Option, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { ledgerFixture } from "../../../test/support/worlds/ledgerFixture.ts"
import { isEntryOf, formatMark, type Means, type Write, writes } from "../../../test/support/worlds/writes.ts"

const withoutKey = writes.filter(({ safety }) => safety === "write")
const payments = withoutKey.flatMap(({ reconcileInput, ...write }) =>
  reconcileInput === undefined ? [] : [{ ...write, reconcileInput }]
)

const means: Effect.Effect<Means> = Effect.map(ledgerFixture, (fixture) => ({
  ...fixture,
  ...fixture.ownRecords[0]!,
  mark: formatMark(1)
}))

/** An emulator in which each write can succeed, and its client. */
const layer = () =>
  Layer.fresh(
    Layer.unwrap(Effect.map(ledgerFixture, ({ snapshot }) => Layer.orDie(CustodyEmulator.layerWith({ snapshot }))))
  )

/** Lets time pass until the program ends. */
const inTime = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    for (let step = 0; step < 300 && fiber.pollUnsafe() === undefined; step++) yield* TestClock.adjust("1 second")
    return yield* Fiber.await(fiber)
  })

/** The number of times that the ledger shows the write. */
const made = (write: Write) =>
  Effect.gen(function* () {
    const { ledger } = yield* CustodyEmulator
    const own = yield* means
    return (yield* ledger).slice(own.snapshot.writes.length).filter((entry) => isEntryOf(write, own, entry)).length
  })

const failureOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined

const unknownOf = (exit: Exit.Exit<unknown, unknown>): OutcomeUnknown => {
  const error = failureOf(exit) as OutcomeUnknown | undefined
  assert.strictEqual(error?._tag, "OutcomeUnknown")
  return error!
}

/** A call whose answer is lost, sent again blindly. */
const lost = Effect.fnUntraced(function* (write: Write) {
  const { faults } = yield* CustodyEmulator
  yield* faults.next(write.operation, Fault.answerLost())
  return unknownOf(yield* inTime(Effect.retry(write.call(yield* means), Schedule.recurs(3))))
})

describe("a write whose answer is lost", () => {
  it.effect.each(withoutKey)("a caller that retries $operation makes it once, until the outcome is resolved", (write) =>
    Effect.gen(function* () {
      const error = yield* lost(write)
      assert.strictEqual(yield* made(write), 1)
      assert.strictEqual(unknownOf(yield* inTime(write.call(yield* means))), error)
      yield* Outcome.resolved(error)
      // It is sent again: it succeeds, or the service refuses what was done before.
      const again = failureOf(yield* inTime(write.call(yield* means))) as { readonly _tag: string } | undefined
      assert.notStrictEqual(again?._tag, "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each(payments)("the client sends $operation again once reconcile has answered", (write) =>
    Effect.gen(function* () {
      const error = yield* lost(write)
      const own = yield* means
      assert.isTrue(Exit.isSuccess(yield* inTime(Transactions.reconcile(error, write.reconcileInput(own)))))
      assert.isTrue(Exit.isSuccess(yield* inTime(write.call(own))))
      assert.strictEqual(yield* made(write), 2)
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each(payments)("the client sends $operation again once find has answered, but not if find fails", (write) =>
    Effect.gen(function* () {
      const { faults } = yield* CustodyEmulator
      const error = yield* lost(write)
      const own = yield* means
      const since = DateTime.subtract(error.sentAt, { minutes: 1 })
      yield* faults.next("transactions.list", Fault.answered({ status: 422, body: {} }))
      assert.isTrue(Exit.isFailure(yield* inTime(Transactions.find(write.reconcileInput(own), { since }))))
      assert.strictEqual(unknownOf(yield* inTime(write.call(own))), error)
      assert.isTrue(Exit.isSuccess(yield* inTime(Transactions.find(write.reconcileInput(own), { since }))))
      assert.isTrue(Exit.isSuccess(yield* inTime(write.call(own))))
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each(payments)("a caller that retries $operation after a timeout makes it once", (write) =>
    Effect.gen(function* () {
      const { faults } = yield* CustodyEmulator
      yield* faults.next(write.operation, Fault.silence())
      const call = Effect.timeout(write.call(yield* means), "5 seconds")
      unknownOf(yield* inTime(Effect.retry(call, Schedule.recurs(3))))
      assert.strictEqual(yield* made(write), 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each(payments)("the client forgets the unknown outcome of $operation after a day", (write) =>
    Effect.gen(function* () {
      const error = yield* lost(write)
      yield* TestClock.adjust("23 hours")
      assert.strictEqual(unknownOf(yield* inTime(write.call(yield* means))), error)
      yield* TestClock.adjust("61 minutes")
      assert.isTrue(Exit.isSuccess(yield* inTime(write.call(yield* means))))
    }).pipe(Effect.provide(layer()))
  )
})
