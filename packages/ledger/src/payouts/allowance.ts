/** What may be held in a batch. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import * as BigDecimal from "effect/BigDecimal"
import { AllowanceExceeded } from "./LedgerError.ts"
import type { OrderColumns } from "./orders.ts"

/**
 * What may be in a batch.
 *
 * @since 0.1.0
 * @category models
 */
export interface Allowance {
  /** How many payouts. */
  readonly payouts: number
  /** How much of each asset, by its id, over all clients and networks; nothing of any other asset. */
  readonly sums: Readonly<Record<string, Amount.Amount>>
}

export type Allowed = Pick<OrderColumns, "asset_id" | "amount">

/** Says which limit the payouts of a batch exceed. `all` includes the new payout. */
export const exceeded = (
  batch: string,
  all: ReadonlyArray<Allowed>,
  { amount, asset_id: assetId }: Allowed,
  { payouts, sums }: Allowance
): AllowanceExceeded | undefined => {
  const refuse = (of: string, allowed: string, used: string) => new AllowanceExceeded({ batch, of, allowed, used })
  // A number that is NaN allows nothing.
  if (!(all.length <= payouts)) return refuse("payouts", `${payouts}`, `${all.length - 1}`)
  const allowed = Object.hasOwn(sums, assetId) ? sums[assetId]! : Amount.of("0")
  const sum = BigDecimal.sumAll(
    all.filter(({ asset_id }) => asset_id === assetId).map((one) => Amount.fromStringUnsafe(one.amount))
  )
  if (!BigDecimal.isGreaterThan(sum, allowed)) return undefined
  // A sum may have more digits than an `Amount` can hold.
  const used = BigDecimal.format(BigDecimal.subtract(sum, Amount.fromStringUnsafe(amount)))
  return refuse(assetId, Amount.format(allowed), used)
}
