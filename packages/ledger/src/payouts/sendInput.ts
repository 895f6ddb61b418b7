import type { SendInput } from "@effect-custody/transactions/Transactions"
import type { Claimed } from "./followed.ts"

/** The input of the send of a payout: the same for every attempt. */
export const inputOf = ({
  amount,
  assetId,
  clientId,
  networkId,
  note,
  to
}: Omit<Claimed, "attempt" | "reference">): SendInput => ({
  clientId,
  assetId,
  to,
  amount,
  note,
  ...(networkId === null ? {} : { networkId })
})
