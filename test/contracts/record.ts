/** What adapters of the tests share. */
import { Amount } from "@effect-custody/sdk"
import * as DateTime from "effect/DateTime"

/** A transaction of which nothing is known but what a document says. */
export const unknown = {
  type: undefined,
  clientId: undefined,
  toClientId: undefined,
  walletId: undefined,
  assetId: undefined,
  networkId: undefined,
  amount: undefined,
  fee: undefined,
  feeAssetId: undefined,
  from: undefined,
  to: undefined,
  note: undefined,
  hash: undefined,
  createdAt: undefined,
  updatedAt: undefined
} as const

/** The record of the example that three of the services show. */
export const record = {
  id: "77",
  status: "COMPLETED",
  type: "OUTGOING",
  clientId: "alice",
  walletId: "w1",
  assetId: "usdc",
  amount: Amount.of("1.50"),
  to: "0xabc",
  note: "payout-1",
  createdAt: DateTime.makeUnsafe("2026-11-27T10:00:00Z")
} as const
