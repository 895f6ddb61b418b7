// A consumer's own module: calls, errors and amounts, under the strictest settings that a compiler has.
import { Amount, type CustodyClient } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Transactions, Vaults } from "@effect-custody/sdk"
import { Effect } from "effect"

export const payout = Effect.fn("payout")(function* (to: string) {
  const vault = yield* Vaults.details()
  const sent = yield* Transactions.send({ clientId: "alice", assetId: "usdc", to, amount: Amount.of("12.50") })
  const transaction = yield* Transactions.awaitFinal(sent.id)
  return `${vault.name}: ${transaction.status}`
})

type Failure = Effect.Error<ReturnType<typeof payout>>

// The error type says what can happen, and only that.
export const isDoubtful = (error: Failure): boolean => error._tag === "OutcomeUnknown"

// @ts-expect-error There is no error of this name.
export const never = (error: Failure): boolean => error._tag === "NoSuchError"

export const needed: Effect.Effect<string, Failure, CustodyClient> = payout("0x00")

export const live: Effect.Effect<string, unknown> = Effect.provide(needed, NodeCustody.layerConfig())
