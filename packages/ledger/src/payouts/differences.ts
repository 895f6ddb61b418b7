/** Compares an order with the transaction that is to be its payment. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import { isFinal } from "@effect-custody/core/unstable/Status"
import type { Transaction } from "@effect-custody/transactions"
import * as Comparison from "@effect-custody/transactions/unstable/Comparison"
import * as BigDecimal from "effect/BigDecimal"
import type { Order } from "./Payout.ts"

const names = {
  clientId: "client",
  assetId: "asset",
  networkId: "network",
  to: "recipient",
  amount: "amount",
  type: "type"
} as const

/** A field in which a transaction is not as ordered. */
export interface Difference {
  readonly field: (typeof names)[keyof typeof names]
  readonly ours: string
  readonly theirs: string
}

const isNamed = (field: string): field is keyof typeof names => field in names

/**
 * `true` if a transaction pays an amount: a service may show a payment as a negative amount, or with its fee. A pending
 * transaction may show 0.
 */
const pays = (ordered: Amount.Amount, { amount, fee, status }: Transaction): boolean => {
  if (amount === undefined) return true
  if (BigDecimal.isZero(amount)) return !isFinal(status)
  const beyond = BigDecimal.abs(BigDecimal.subtract(BigDecimal.abs(amount), ordered))
  return BigDecimal.isZero(beyond) || (fee !== undefined && !BigDecimal.isGreaterThan(beyond, BigDecimal.abs(fee)))
}

/**
 * The fields in which a transaction differs from an order: client, asset, network, recipient, type, and the amount beyond
 * the fee. What the transaction does not show is no difference.
 */
export const differences = (
  {
    amount,
    assetId,
    clientId,
    networkId,
    to
  }: Omit<Order, "note" | "networkId"> & { readonly networkId?: string | null | undefined },
  transaction: Transaction
): ReadonlyArray<Difference> =>
  Comparison.differences(
    { clientId, assetId, to, amount, ...(networkId == null ? {} : { networkId }) },
    transaction
  ).flatMap(({ field, requested, shown }) =>
    shown === undefined || !isNamed(field) || (field === "amount" && pays(amount, transaction))
      ? []
      : [{ field: names[field], ours: requested, theirs: shown }]
  )

export const describe = (found: ReadonlyArray<Difference>): string =>
  found.map(({ field, ours, theirs }) => `${field}: ${ours} here, ${theirs} there`).join("; ")
