import { Amount, type CustodyClient } from "@effect-custody/core"
import { PaymentOrders, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Exit, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { type Answer, scriptedClient } from "../../../test/support/clients/scriptedClient.ts"
import { observe } from "../../../test/support/worlds/observed.ts"

const refused: Answer = {
  status: 422,
  body: {
    status: 422,
    message: "the account of Jane Doe is blocked",
    errors: { message: "the account of Jane Doe is blocked", transactionId: ["Jane Doe is blocked"] },
    code: "E00402"
  }
}
const pending: Answer = { data: { id: "secret-id-1", status: "PENDING", note: "rent of Jane Doe" } }
const noAnswer: Answer = { status: 502, body: "Jane Doe" }

const payout = { clientId: "secret-id-1", assetId: "usdc", to: "0xabc", amount: Amount.of("1") }

type Workflow = readonly [
  run: Effect.Effect<unknown, unknown, CustodyClient>,
  answers: readonly [Answer, ...ReadonlyArray<Answer>],
  tag: string
]

const workflows: Readonly<Record<string, Workflow>> = {
  "transactions.awaitFinal": [Transactions.awaitFinal("secret-id-1"), [refused], "ValidationFailed"],
  "transactions.find": [
    Effect.flatMap(Clock.currentTimeMillis, (now) => Transactions.find(payout, { since: DateTime.makeUnsafe(now) })),
    [refused],
    "ReconcileFailed"
  ],
  "transactions.reconcile": [
    Transactions.send(payout).pipe(Effect.catchTag("OutcomeUnknown", (error) => Transactions.reconcile(error, payout))),
    [noAnswer, refused],
    "ReconcileFailed"
  ],
  "paymentOrders.awaitFinal, at its deadline": [
    PaymentOrders.awaitFinal("secret-id-1", { deadline: "1 minute" }),
    [pending],
    "StillPending"
  ]
}

describe("the spans of several calls for one result", () => {
  for (const [title, [workflow, [first, ...more], tag]] of Object.entries(workflows)) {
    it.effect(`the span of ${title} has the tag of the error, and none of its text`, () => {
      const { layer } = scriptedClient(first, ...more)
      const [observed, observing] = observe()
      return Effect.gen(function* () {
        const fiber = yield* workflow.pipe(Effect.exit, Effect.provide(Layer.merge(layer, observing)), Effect.forkChild)
        yield* TestClock.adjust("1 minute")
        assert.isTrue(Exit.isFailure(yield* Fiber.join(fiber)))
        const span = observed.spans.find(({ name }) => name === title.split(",")[0])
        assert(span?.status._tag === "Ended" && Exit.isFailure(span.status.exit))
        assert.deepInclude(Option.getOrThrow(Exit.findErrorOption(span.status.exit)), { name: tag, message: tag })
        assert.deepStrictEqual([...span.attributes], [["error.type", tag]])
        assert.notInclude(observed.text(), "Jane Doe")
        assert.notInclude(observed.text(), "secret-id-1")
      })
    })
  }
})
