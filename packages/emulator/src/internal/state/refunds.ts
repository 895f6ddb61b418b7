/** The refunded sums of fiat deposits, by the transaction of the deposit. */
import type * as BigDecimal from "effect/BigDecimal"
import { Sum } from "./money.ts"
import * as StateField from "./stateField.ts"
import type { Vault } from "./world.ts"

export const refundTable = StateField.make({
  name: "refunded",
  schema: StateField.table(Sum),
  initial: () => new Map()
})

/** How much of a deposit was refunded. Undefined if the transaction is no deposit. */
export const refundedOf = (vault: Vault, transactionId: string): BigDecimal.BigDecimal | undefined =>
  vault.state(refundTable).get(transactionId)

/** Sets how much of a deposit was refunded in all. This marks the transaction as a deposit. */
export const setRefunded = (vault: Vault, transactionId: string, amount: BigDecimal.BigDecimal): void => {
  vault.state(refundTable).set(transactionId, amount)
}
