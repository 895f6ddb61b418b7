/** What went back of fiat deposits, by the transaction of the deposit. */
import type * as BigDecimal from "effect/BigDecimal"
import { Sum } from "./money.ts"
import * as Slice from "./slice.ts"
import type { Vault } from "./world.ts"

export const slice = Slice.make({ name: "refunded", schema: Slice.table(Sum), initial: () => new Map() })

/** How much of a deposit went back; or nothing, if the transaction is none. */
export const refundedOf = (vault: Vault, transactionId: string): BigDecimal.BigDecimal | undefined =>
  vault.state(slice).get(transactionId)

/** Writes down how much of a deposit went back in all. A transaction becomes a deposit by it. */
export const setRefunded = (vault: Vault, transactionId: string, amount: BigDecimal.BigDecimal): void => {
  vault.state(slice).set(transactionId, amount)
}
