/** Waits for the end of a payout. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Database, reporting } from "../database/database.ts"
import * as Read from "../database/read.ts"
import { LedgerError, PayoutFailed, PayoutRefused, PayoutUndecided } from "../model/LedgerError.ts"
import type { Payout } from "../model/Payout.ts"

const [firstWait, maxWait] = [50, 2_000]

/** The payout if it is paid, the error if it ended otherwise, and `undefined` while it goes on. */
const end = (payout: Payout): Effect.Effect<Payout, PayoutFailed | PayoutRefused | PayoutUndecided> | undefined => {
  const { detail, intentAt, reference, state, submittedAt, transactionId } = payout
  switch (state) {
    case "paid":
      return Effect.succeed(payout)
    case "failed":
      return Effect.fail(new PayoutFailed({ reference, transactionId: transactionId ?? "", status: detail ?? "" }))
    case "refused":
      return Effect.fail(new PayoutRefused({ reference, reason: detail ?? "the service refused it" }))
    case "cancelled":
      return Effect.fail(new PayoutRefused({ reference, reason: `cancelled: ${detail ?? ""}` }))
    case "undecided":
      return Effect.fail(new PayoutUndecided({ reference, since: intentAt ?? submittedAt, evidence: detail ?? "" }))
    default:
      return undefined
  }
}

export const awaitEnd = Effect.fnUntraced(function* (
  database: Database,
  reference: string
): Effect.fn.Return<Payout, PayoutFailed | PayoutRefused | PayoutUndecided | LedgerError> {
  for (let wait = firstWait; ; wait = Math.min(wait * 1.5, maxWait)) {
    const found = yield* reporting("read")(Read.get(database, reference))
    if (Option.isNone(found)) {
      return yield* new LedgerError({ operation: "read", reason: `it has lost payout ${reference}` })
    }
    const ended = end(found.value)
    if (ended !== undefined) return yield* ended
    yield* Effect.sleep(Duration.millis(wait))
  }
})
