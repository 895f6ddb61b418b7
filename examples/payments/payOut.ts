/** Sends money once, also if the answer to that is lost. */
import type { Amount, Id } from "@effect-custody/core"
import { Transactions } from "@effect-custody/sdk"
import { Effect, Option, Stream } from "effect"
import * as Story from "./story.ts"

export interface Payout {
  /** A name of our own, which goes along as the note: by it, the payout can be found. */
  readonly name: string
  readonly clientId: string
  readonly assetId: string
  readonly to: string
  readonly amount: Amount.Amount
}

/** The transaction of a payout, in the service's history. */
const find = ({ clientId, name }: Payout) =>
  Transactions.stream({ clientId, type: "OUTGOING" }).pipe(
    Stream.filter(({ note }) => note === name),
    Stream.map(({ id }) => id),
    Stream.runHead
  )

/** The id to follow the payout by. Fails with `OutcomeUnknown` if not even the history knows. */
export const payOut = Effect.fn("payOut")(function* (payout: Payout) {
  const { name, ...order } = payout
  return yield* Transactions.send({ ...order, note: name }).pipe(
    Effect.map(({ id }): Id.TransactionId => id),
    Effect.catchTag("OutcomeUnknown", (error) =>
      Effect.gen(function* () {
        yield* Story.line(`The answer to that is lost (${error.reason}). It is not sent again: it is looked up.`)
        const found = yield* find(payout)
        if (Option.isNone(found)) return yield* error
        yield* Story.line(`The history has it, as transaction ${found.value}.`)
        return found.value
      })
    )
  )
})
