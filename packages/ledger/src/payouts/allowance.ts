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

/** What all payouts of a batch, the new one included, exceed. */
export const exceeded = (
  batch: string,
  all: ReadonlyArray<Allowed>,
  { asset_id: assetId }: Allowed,
  { payouts, sums }: Allowance
): AllowanceExceeded | undefined => {
  // A number that is NaN allows nothing.
  if (!(all.length <= payouts)) return new AllowanceExceeded({ batch, of: "payouts", allowed: `${payouts}` })
  const allowed = Object.hasOwn(sums, assetId) ? sums[assetId] : undefined
  const amounts = all
    .filter(({ asset_id }) => asset_id === assetId)
    .map(({ amount }) => Amount.fromStringUnsafe(amount))
  if (allowed !== undefined && !BigDecimal.isGreaterThan(BigDecimal.sumAll(amounts), allowed)) return undefined
  return new AllowanceExceeded({ batch, of: assetId, allowed: allowed === undefined ? "0" : Amount.format(allowed) })
}
