/** What is drawn for a schedule: its orders, its contract, its person, and whether its database goes back. */
import { Amount } from "@effect-custody/core"
import type { Payouts } from "@effect-custody/ledger"
import type { Source } from "../../support/random.ts"
import type { Showing } from "./network.ts"

export const drawOrders = (dice: Source, { note }: Showing): ReadonlyArray<Payouts.ReferencedOrder> => {
  const twins = dice.chance(note === "hidden" ? 0.8 : 0.3)
  const [least, choices] = twins ? [2, 3] : [1, 4]
  return Array.from({ length: least + dice.below(choices) }, (_, at) => ({
    reference: `payout-${at}`,
    clientId: "alice",
    assetId: "usdc",
    to: twins ? "0xtwin" : dice.chance(0.1) ? `0xrejected${at}` : `0x${at}`,
    amount: Amount.fromStringUnsafe(twins ? "1" : `${1 + at}`)
  }))
}

/** How a schedule differs from one with an emulator and one database. */
export interface Setting {
  /** `true` if the contract is a real service's: nothing is certain of its history. */
  readonly isReal: boolean
  /** `true` if the person looks at the history before a decision. */
  readonly looks: boolean
  /**
   * When the database goes back, if it does: the step before which it is copied (0: before anything was sent), and the
   * age of the copy. `waits`: the processes start again when the history shows what was sent before.
   */
  readonly back: { readonly step: number; readonly age: number; readonly waits: boolean } | undefined
}

export const drawSetting = (random: Source, { moves, note }: Showing): Setting => {
  const isReal = random.chance(0.5)
  const looks = random.chance(0.5)
  const back = {
    step: random.pick([0, 0, 1, 2, 3, 5, 8]),
    age: 1_000 + random.below(119_000),
    waits: random.chance(0.7)
  }
  // The emulator's contract says that the history shows notes. Rows that move may hide a payment from any comparison.
  return { isReal, looks, back: random.chance(0.5) && !moves && (isReal || note === "shown") ? back : undefined }
}
