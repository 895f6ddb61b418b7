import { Amount } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { Clients, Transactions } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"

/** Pays two payees in one workflow, each in an activity. Returns what the activities say, and the recipients. */
const payTwo = (nameOf: (reference: string) => string) => {
  const Pay = Workflow.make("Pay", {
    payload: { references: Schema.Array(Schema.String) },
    success: Schema.Array(Schema.String),
    idempotencyKey: () => "june"
  })
  const layer = Pay.toLayer(({ references }) =>
    Effect.forEach(references, (reference) =>
      Activity.make({
        name: nameOf(reference),
        success: Schema.String,
        execute: Payouts.pay(reference, {
          clientId: "alice",
          assetId: "usdc",
          to: `0x${reference}`,
          amount: Amount.of("2")
        }).pipe(
          Effect.map(({ reference, state }) => `${reference} ${state}`),
          Effect.orDie
        )
      })
    )
  ).pipe(Layer.provideMerge(WorkflowEngine.layerMemory))
  return Effect.gen(function* () {
    yield* Clients.create({ externalId: "alice" })
    yield* (yield* CustodyEmulator).fund({ clientId: "alice", assetId: "usdc", amount: "10" })
    const told = yield* Effect.raceFirst(Pay.execute({ references: ["1", "2"] }), Payouts.run)
    const sent = yield* Stream.runCollect(Transactions.stream({ clientId: "alice", type: "OUTGOING" }))
    return { told, paid: sent.map(({ to }) => to) }
  }).pipe(
    CustodyTest.fastForward(),
    Effect.provide(
      layer.pipe(
        Layer.provideMerge(Payouts.layer().pipe(Layer.provide(LedgerSqlite.layer({ filename: ":memory:" })))),
        Layer.provideMerge(CustodyEmulator.layer)
      )
    )
  )
}

describe("activities of one workflow", () => {
  it.effect("two activities pay two payees if the names carry the references", () =>
    Effect.gen(function* () {
      const { paid, told } = yield* payTwo((reference) => `pay ${reference}`)
      assert.deepStrictEqual(told, ["1 paid", "2 paid"])
      assert.sameMembers(paid, ["0x1", "0x2"])
    })
  )

  it.effect("a second activity of the same name pays nobody, which is why the recipe names them apart", () =>
    Effect.gen(function* () {
      const { paid, told } = yield* payTwo(() => "pay")
      assert.deepStrictEqual(told, ["1 paid", "1 paid"])
      assert.deepStrictEqual(paid, ["0x1"])
    })
  )
})
