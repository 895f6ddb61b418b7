/** What went back of fiat deposits, by the transaction of the deposit. */
import type * as BigDecimal from "effect/BigDecimal"
import type { Slice, Vault } from "./world.ts"

const refunded: Slice<Map<string, BigDecimal.BigDecimal>> = { name: "refunded", initial: () => new Map() }

/** How much of a deposit went back; or nothing, if the transaction is none. */
export const refundedOf = (vault: Vault, transactionId: string): BigDecimal.BigDecimal | undefined =>
  vault.state(refunded).get(transactionId)

/** Writes down how much of a deposit went back in all. A transaction becomes a deposit by it. */
export const setRefunded = (vault: Vault, transactionId: string, amount: BigDecimal.BigDecimal): void => {
  vault.state(refunded).set(transactionId, amount)
}
