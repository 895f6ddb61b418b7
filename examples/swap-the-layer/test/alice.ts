/** The start of a test on the emulator: a client of the vault with some money. */
import { Amount } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Clients } from "@effect-custody/sdk"
import { Effect } from "effect"
import type { Payout } from "../payout.ts"

/** alice, who has 100 USDC. */
export const alice = Effect.gen(function* () {
  yield* Clients.create({ externalId: "alice" })
  yield* (yield* CustodyEmulator).fund({ clientId: "alice", assetId: "usdc", amount: "100" })
})

/** 40 of them go to her supplier. */
export const payout: Payout = {
  name: "invoice 2026-118",
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("40")
}

/** How often money was sent, by the service's own books. */
export const sends = Effect.gen(function* () {
  const writes = yield* (yield* CustodyEmulator).ledger
  return writes.filter(({ operation }) => operation === "transactions.send").length
})
