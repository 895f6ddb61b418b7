/** What a person sees before approving a held batch: how much goes to whom. */
import * as Amount from "@effect-custody/core/Amount"
import type * as Payouts from "@effect-custody/ledger/Payouts"
import * as DryRun from "./dryRun.ts"

const maxRecipients = 10

type Table = ReadonlyArray<ReadonlyArray<string>>

export interface Shown {
  /** By client, asset and network, with a header. */
  readonly sums: Table
  /** The first recipients, each with its sums. */
  readonly recipients: Table
  /** The number of all recipients. */
  readonly count: number
}

export const show = ({ payouts }: Payouts.Review): Shown => {
  const orders = payouts.map((payout) => ({ ...payout, networkId: payout.networkId ?? undefined }))
  const byRecipient = Map.groupBy(orders, ({ to }) => to)
  return {
    sums: DryRun.sums(orders),
    recipients: Array.from(byRecipient)
      .slice(0, maxRecipients)
      .map(([to, own]) => [
        to,
        DryRun.sumUp(own)
          .map(({ amount, assetId, clientId }) => `${Amount.format(amount)} ${assetId} from ${clientId}`)
          .join(", ")
      ]),
    count: byRecipient.size
  }
}
