/** What a person sees before approving a held batch: how much goes to whom, the largest first. */
import * as Amount from "@effect-custody/core/Amount"
import type * as Payouts from "@effect-custody/ledger/Payouts"
import * as BigDecimal from "effect/BigDecimal"
import * as Order from "effect/Order"
import * as DryRun from "./dryRun.ts"

const maxRecipients = 10

type Table = ReadonlyArray<ReadonlyArray<string>>

export interface Shown {
  /** By client, asset and network, with a header. */
  readonly sums: Table
  /** The recipients of the largest sums of each asset, each with its sums. */
  readonly recipients: Table
  /** The number of all recipients. */
  readonly count: number
}

type Own = ReturnType<typeof DryRun.sumUp>[number]

const largestFirst = Order.flip(Order.mapInput(BigDecimal.Order, ({ amount }: Own): BigDecimal.BigDecimal => amount))

/** The place of each recipient among those of an asset, the largest sum first; of several assets, the best place. */
const placesOf = (recipients: ReadonlyArray<readonly [to: string, sums: ReadonlyArray<Own>]>) => {
  const places = new Map<string, number>()
  const all = recipients.flatMap(([to, sums]) => sums.map((sum) => ({ to, ...sum })))
  // Sums of different assets cannot be compared.
  for (const ofAsset of Map.groupBy(all, ({ assetId }) => assetId).values()) {
    ofAsset
      .toSorted(largestFirst)
      .forEach(({ to }, place) => places.set(to, Math.min(place, places.get(to) ?? Infinity)))
  }
  return places
}

export const show = ({ payouts }: Payouts.Review): Shown => {
  const orders = payouts.map((payout) => Object.assign({}, payout, { networkId: payout.networkId ?? undefined }))
  const recipients = Array.from(
    Map.groupBy(orders, ({ to }) => to),
    ([to, own]) => [to, DryRun.sumUp(own).toSorted(largestFirst)] as const
  )
  const places = placesOf(recipients)
  return {
    sums: DryRun.sums(orders),
    recipients: recipients
      .toSorted(([one], [other]) => places.get(one)! - places.get(other)!)
      .slice(0, maxRecipients)
      .map(([to, sums]) => [
        to,
        sums.map(({ amount, assetId, clientId }) => `${Amount.format(amount)} ${assetId} from ${clientId}`).join(", ")
      ]),
    count: recipients.length
  }
}
