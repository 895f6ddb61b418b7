/** Sends money once, also if the answer to that is lost. */
import { type Amount, type Id, Transactions } from "@effect-custody/sdk"
import { Effect } from "effect"
import * as Story from "./story.ts"

export interface Payout {
  /** A name of our own, which goes along as the note: by it, the payout can be found. */
  readonly name: string
  readonly clientId: string
  readonly assetId: string
  readonly to: string
  readonly amount: Amount.Amount
}

/** The id to follow the payout by. Fails with `OutcomeUnknown` if not even the history knows. */
export const payOut = Effect.fn("payOut")(function* ({ name, ...order }: Payout) {
  const input = { ...order, note: name }
  return yield* Transactions.send(input).pipe(
    Effect.map(({ id }): Id.TransactionId => id),
    Effect.catchTag("OutcomeUnknown", (error) =>
      Effect.gen(function* () {
        yield* Story.line(`The answer to that is lost (${error.reason}). It is not sent again: it is looked up.`)
        const found = yield* Transactions.reconcile(error, input)
        if (found._tag !== "Found") return yield* error
        yield* Story.line(`The history has it, as transaction ${found.transaction.id}.`)
        return found.transaction.id
      })
    )
  )
})
