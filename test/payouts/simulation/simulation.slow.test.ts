import { assert, describe, it } from "@effect/vitest"
import { command } from "../../support/simulation/command.ts"
import { ledgerBugs } from "./bugs.ts"

const simulate = command("payouts/simulation")

describe("the simulation of the ledger", () => {
  it("16 schedules pay each payout at most once, lose none, and end", async () => {
    const { code, output } = await simulate("--seeds", "16")
    assert.strictEqual(code, 0, output)
    assert.match(output, /mistakes: 0$/m)
  })

  // The rarest bug appears at seed 169.
  it.concurrent.each(Object.keys(ledgerBugs))('the simulation finds the bug "%s" within 200 schedules', async (bug) => {
    const { code, output } = await simulate("--seeds", "200", "--stop", "--bug", bug)
    assert.strictEqual(code, 1, output)
    assert.match(output, /^seed \d+: .* was (not )?paid/m)
  })
})
