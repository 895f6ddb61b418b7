/** The person behind an attack, who sees what the service has really done. */
import { Payouts } from "@effect-custody/ledger"
import * as Effect from "effect/Effect"
import { findPaid, listAll, type Stage } from "./stage.ts"

export interface Decisions {
  /** Payouts because of which the ledger stopped, and that the service has paid. */
  readonly stopped: number
  /** Undecided payouts that the service has paid. */
  readonly decidedPaid: number
  /** Undecided payouts that the service has not paid. */
  readonly decidedNotPaid: number
}

/** Decides about every payout that waits for a person. Returns what has been decided so far. */
export const makePerson = (stage: Stage) => {
  let [stopped, decidedPaid, decidedNotPaid] = [0, 0, 0]
  const sign = { by: "grace", reason: "the service's own record" }
  const decide = Effect.fnUntraced(function* (reference: string, transactionId: string | undefined) {
    const outcome =
      transactionId === undefined
        ? ({ notPaid: true, unchecked: true } as const)
        : ({ paid: transactionId, unchecked: true } as const)
    // A payout may have moved on by itself.
    return yield* stage.inLedger(
      Effect.catchTag(Payouts.decide(reference, outcome, sign), "StepRefused", () => Effect.succeed(0))
    )
  })
  return {
    look: Effect.gen(function* () {
      const { alarms, confirmations } = yield* stage.inLedger(Payouts.progress())
      for (const first of confirmations) {
        if (first.shownAt !== null) yield* stage.inLedger(Effect.ignore(Payouts.confirm(first, sign)))
      }
      const undecided = yield* listAll(stage, "undecided")
      const paid =
        alarms.length + undecided.length === 0 ? new Map<string, ReadonlyArray<string>>() : yield* findPaid(stage)
      for (const { alarm, reference } of alarms) {
        if (alarm === "clash") yield* stage.inLedger(Effect.ignore(Payouts.acknowledge(reference, sign)))
        else stopped += yield* decide(reference, paid.get(reference)?.[0])
      }
      for (const { reference } of undecided) {
        const transactionId = paid.get(reference)?.[0]
        const count = yield* decide(reference, transactionId)
        if (transactionId === undefined) decidedNotPaid += count
        else decidedPaid += count
      }
    }),
    decisions: (): Decisions => ({ stopped, decidedPaid, decidedNotPaid })
  }
}
