import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { decide, find, inWorld, order, pay, sends } from "./world.ts"

describe("payouts", () => {
  it.live("a payout is sent once, however often and at the same time it is ordered", () =>
    inWorld(
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        // Longer under way than a look into the history takes.
        yield* faults.next("transactions.send", Fault.delayed({ request: "300 millis" }))
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => pay("p-1")),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
        assert.strictEqual((yield* pay("p-1")).status, 201)
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("a payout is unknown while the answer is lost, and is found by its name", () =>
    inWorld(
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("transactions.send", Fault.answerLost())
        assert.strictEqual((yield* pay("p-1")).status, 202)
        assert.strictEqual((yield* pay("p-1")).status, 201)
        assert.strictEqual((yield* find("p-1")).body.state, "sent")
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("a payout is refused with the service's reason, and may be ordered again once corrected", () =>
    inWorld(
      Effect.gen(function* () {
        assert.strictEqual((yield* pay("p-1", { ...order, amount: "1000" })).status, 422)
        assert.strictEqual((yield* pay("p-1")).status, 201)
      })
    )
  )

  it.live("a transaction that the service rejected is a failed payout, not a sent one", () =>
    inWorld(
      Effect.gen(function* () {
        yield* pay("p-1", { ...order, to: "0xrejected" })
        yield* Effect.sleep("100 millis")
        const { body, status } = yield* find("p-1")
        assert.strictEqual(status, 422)
        assert.deepInclude(body, { title: "The payout failed", transactionStatus: "REJECTED" })
        assert.strictEqual((yield* pay("p-1", { ...order, to: "0xrejected" })).status, 422, "its name is used up")
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("a person decides a payout in doubt: it has a transaction, or it is free to be ordered again", () =>
    inWorld(
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        // The service does nothing, and nobody can know.
        yield* faults.next("transactions.send", Fault.answered({ status: 503 }), { times: 2 })
        assert.strictEqual((yield* pay("p-1")).status, 202)
        assert.strictEqual((yield* pay("p-2")).status, 202)
        assert.strictEqual((yield* decide("p-1", { paid: false })).status, 204)
        assert.strictEqual((yield* pay("p-1")).status, 201)
        const { transactionId } = (yield* pay("p-1")).body
        assert.strictEqual((yield* decide("p-2", { paid: true, transactionId })).status, 204)
        assert.strictEqual((yield* find("p-2")).body.transactionId, transactionId)
        assert.strictEqual((yield* decide("p-2", { paid: false })).status, 409)
        assert.strictEqual((yield* decide("p-3", { paid: false })).status, 404)
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("an order does not get the name of another one", () =>
    inWorld(
      Effect.gen(function* () {
        yield* pay("p-1")
        assert.strictEqual((yield* pay("p-1", { ...order, amount: "13" })).status, 409)
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("each mistake in a request is reported with its place", () =>
    inWorld(
      Effect.gen(function* () {
        const { body, status } = yield* pay("p-1", { ...order, amount: "-1" })
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(body.errors[0].path, ["payload", "amount"])
        assert.strictEqual((yield* pay("not a name")).status, 400)
        assert.strictEqual(yield* sends, 0)
      })
    )
  )
})
