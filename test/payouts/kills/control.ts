/**
 * The fault that needs no luck: the service pays, and its answer never comes. Then the process is killed, and started again.
 */
import { Fault } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import * as Effect from "effect/Effect"
import { judge, makeStage, type StageOptions } from "./stage.ts"

/** Kills the only process after the service has paid its only payout, and returns when the payout is called paid. */
export const killAfterPayment = Effect.fnUntraced(function* (options: Pick<StageOptions, "store" | "how">) {
  const stage = yield* makeStage({
    ...options,
    payouts: 1,
    workers: 1,
    validity: 5_000,
    // The process is killed before it gives up.
    attemptTimeout: 600_000,
    disturb: ({ faults }) => faults.next("transactions.send", Fault.silence())
  })
  const { emulator, inLedger, workers } = stage
  while (!(yield* emulator.ledger).some(({ operation }) => operation === "transactions.send")) {
    yield* Effect.sleep("20 millis")
  }
  yield* workers.kill(0)
  while ((yield* inLedger(Payouts.progress())).states.paid !== 1) yield* Effect.sleep("50 millis")
  return yield* judge(stage)
}, Effect.scoped)
