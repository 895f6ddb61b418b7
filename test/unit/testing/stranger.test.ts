import { Amount } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Clients } from "@effect-custody/sdk"
import { CustodyTest, Faults, WireLog } from "@effect-custody/testing"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { payout } from "./payout.ts"

it.effect("the payout survives a token that expires between two calls and a lost answer to the send", () =>
  Effect.gen(function* () {
    const emulator = yield* CustodyEmulator
    yield* Clients.create({ id: "alice" })
    yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "100" })
    yield* Faults.play(
      Faults.next("transactions.send", Faults.tokenExpired),
      Faults.next("transactions.send", Faults.answerLost)
    )
    const paid = yield* payout({ id: "p-1", clientId: "alice", to: "0xabc", amount: Amount.of("12.50") })
    assert.strictEqual(paid.status, "COMPLETED")
    const sends = (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send")
    assert.lengthOf(sends, 1)
  }).pipe(CustodyTest.fastForward(), WireLog.printOnFailure, Effect.provide(CustodyTest.layer))
)
