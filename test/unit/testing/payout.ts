/** A workflow as a user has it: two calls, and what to do when nobody knows whether the second has happened. */
import type { Amount } from "@effect-custody/core"
import { Transactions, Vaults } from "@effect-custody/sdk"
import { Effect, Stream } from "effect"

export interface Payout {
  /** Goes with the transaction as its note, and finds it again. */
  readonly id: string
  readonly clientId: string
  readonly to: string
  readonly amount: Amount.Amount
}

/** What was sent for a payout, if it was. */
const find = ({ clientId, id }: Payout) =>
  Transactions.stream({ clientId, type: "OUTGOING" }).pipe(
    Stream.filter(({ note }) => note === id),
    Stream.runHead
  )

export const payout = Effect.fn("payout")(function* (order: Payout) {
  yield* Vaults.paymentPolicies()
  const { amount, clientId, id, to } = order
  const sent = yield* Transactions.send({ clientId, assetId: "usdc", to, amount, note: id }).pipe(
    Effect.catchTag("OutcomeUnknown", (unknown) =>
      Effect.flatMap(find(order), (found) => Effect.mapError(Effect.fromOption(found), () => unknown))
    )
  )
  return yield* Transactions.awaitFinal(sent.id)
})
