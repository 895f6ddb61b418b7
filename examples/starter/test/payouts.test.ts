import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { approve, find, inMemory, inWorld, list, onceFor, order, pay, sends, untilState, withPayouts } from "./world.ts"

describe("payouts", () => {
  it.live("a payout is sent once, however often and at the same time it is ordered", () => onceFor(inMemory))

  it.live("a payout is unknown while its answer is lost, and is found by its name", () =>
    inWorld(
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        yield* faults.next("transactions.send", Fault.answerLost())
        const { body, status } = yield* pay("p-1")
        assert.include([201, 202], status)
        if (status === 202) assert.deepInclude(body, { state: "unknown", askAt: "/payouts/p-1" })
        yield* untilState("p-1", "paid")
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("an order does not get the name of another one", () =>
    withPayouts(
      Effect.gen(function* () {
        yield* pay("p-1")
        assert.strictEqual((yield* pay("p-1", { ...order, amount: "13" })).status, 409)
      })
    )
  )

  it.live.each([
    [{ state: "accepted" }, 201, { state: "accepted" }],
    [{ state: "unknown", detail: "no answer" }, 202, { state: "unknown", detail: "no answer", askAt: "/payouts/p-1" }],
    [{ state: "undecided" }, 202, { state: "undecided" }],
    [{ state: "mismatched" }, 202, { state: "mismatched" }],
    [{ state: "cancelled", detail: "too late" }, 422, { title: "The payout was refused", detail: "too late" }],
    [{ state: "refused", detail: "no money" }, 422, { title: "The payout was refused", detail: "no money" }],
    [{ state: "failed", detail: "REJECTED" }, 422, { title: "The payout failed", transactionStatus: "REJECTED" }]
  ] as const)("a payout that is %j is answered with %d", ([told, expected, shown]) =>
    withPayouts(
      Effect.gen(function* () {
        const { body, status } = yield* pay("p-1")
        assert.deepInclude({ status, ...body }, { status: expected, ...shown })
        assert.strictEqual((yield* find("p-1")).status, expected === 201 ? 200 : expected)
      }),
      Payouts.layerTest(() => told)
    )
  )
})

describe("four eyes", () => {
  it.live("a payout above the limit waits until another caller approves it, and then is sent once", () =>
    inWorld(
      Effect.gen(function* () {
        const { fund } = yield* CustodyEmulator
        yield* fund({ clientId: "alice", assetId: "usdc", amount: "5000" })
        const large = { ...order, amount: "1000.01" }
        const held = yield* pay("p-1", large)
        assert.deepInclude({ status: held.status, ...held.body }, { status: 202, state: "held" })
        assert.strictEqual((yield* approve("p-1", "ann")).status, 403)
        assert.strictEqual(yield* sends, 0)
        const { body } = yield* list("state=held")
        assert.deepInclude(body.payouts[0], { payoutId: "p-1", amount: "1000.01", orderedBy: "ann", to: order.to })
        assert.include([200, 202], (yield* approve("p-1", "bob")).status)
        yield* untilState("p-1", "paid")
        assert.strictEqual((yield* approve("p-1", "bob")).status, 200)
        assert.strictEqual((yield* pay("p-1", large)).status, 201)
        assert.strictEqual(yield* sends, 1)
        assert.strictEqual((yield* approve("p-2", "bob")).status, 404)
        assert.lengthOf((yield* list("after=p-1")).body.payouts, 0)
      })
    )
  )

  it.live("an asset without a limit is held", () =>
    inWorld(
      Effect.gen(function* () {
        assert.strictEqual((yield* pay("p-1", { ...order, assetId: "eth", amount: "0.001" })).body.state, "held")
      })
    )
  )
})

describe("the end of a payout", () => {
  it.live("a payout is refused with the service's reason, and a person sends it again once it is mended", () =>
    inWorld(
      Effect.gen(function* () {
        const { fund } = yield* CustodyEmulator
        const refused = yield* pay("p-1", { ...order, amount: "1000" })
        assert.strictEqual(refused.status, 422)
        assert.notStrictEqual(refused.body.detail, "")
        assert.strictEqual((yield* pay("p-1", { ...order, amount: "1000" })).status, 422)
        yield* fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
        yield* Payouts.sendAgain("p-1", { by: "ann", reason: "alice has money" })
        assert.strictEqual((yield* pay("p-1", { ...order, amount: "1000" })).status, 201)
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("a transaction that the service rejected is a failed payout, not a sent one", () =>
    inWorld(
      Effect.gen(function* () {
        const rejected = { ...order, to: "0xrejected" }
        yield* pay("p-1", rejected)
        while ((yield* find("p-1")).status !== 422) yield* Effect.sleep("20 millis")
        const { body } = yield* find("p-1")
        assert.deepInclude(body, { title: "The payout failed", transactionStatus: "REJECTED" })
        assert.strictEqual((yield* pay("p-1", rejected)).status, 422, "its name is used up")
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("a payout that nobody can find is for a person, who says what became of it", () =>
    inWorld(
      Effect.gen(function* () {
        const { faults } = yield* CustodyEmulator
        // The service does nothing, and the client cannot know.
        yield* faults.next("transactions.send", Fault.answered({ status: 503 }))
        assert.strictEqual((yield* pay("p-1")).status, 202)
        yield* untilState("p-1", "undecided")
        yield* Payouts.decide(
          "p-1",
          { notPaid: true, unchecked: true },
          { by: "ann", reason: "the service does not have it" }
        )
        yield* untilState("p-1", "paid")
        assert.strictEqual(yield* sends, 1)
      })
    )
  )

  it.live("each mistake in a request is reported with its place", () =>
    withPayouts(
      Effect.gen(function* () {
        const { body, status } = yield* pay("p-1", { ...order, amount: "-1" })
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(body.errors[0].path, ["payload", "amount"])
        assert.strictEqual((yield* pay("not a name")).status, 400)
        assert.lengthOf(yield* Payouts.list(), 0)
      })
    )
  )
})
