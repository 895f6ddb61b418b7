/** Every limit of this backend. Who changes one changes what can be paid, or how long a caller waits. */
import { Amount } from "@effect-custody/core"
import { BigDecimal } from "effect"

/**
 * The highest amount of an asset in a payout that is paid without the approval of a second caller. Payouts are not added
 * up: a caller may split an order. An asset that is not here always needs an approval.
 */
const withoutApproval: Readonly<Record<string, Amount.Amount>> = { usdc: Amount.of("1000") }

/** `true` if a second caller has to approve such a payout. */
export const needsApproval = (assetId: string, amount: Amount.Amount): boolean => {
  const highest = withoutApproval[assetId]
  return highest === undefined || BigDecimal.isGreaterThan(amount, highest)
}

/** How long a caller waits for the service's answer. */
export const patience = "20 seconds"

/** How long to wait for the ledger's database: a connection may be dead, and say nothing. */
export const databasePatience = "2 seconds"

/** The longest body of a request. */
export const maxBody = "64 kB"

/** The most payouts in a list. */
export const maxListed = 100

/** The least characters of a caller's token. */
export const minToken = 32
