import { assert, describe, it } from "@effect/vitest"
import { command } from "../../support/simulation/command.ts"

const explore = command("payouts/explorer")

describe("the explorer of the ledger", () => {
  it("walks twins with one fault, such as a database that goes back, to their end, and breaks no invariant", async () => {
    const { code, output } = await explore("--faults", "1", "--scene", "notes")
    assert.strictEqual(code, 0, output)
    assert.lengthOf(output.match(/no invariant can be broken/g) ?? [], 2, output)
  })

  it.concurrent.each([
    ["no comparison after a change", "notes shown", "1", "p0 is paid twice", 8],
    ["the comparison begins at once", "notes shown", "1", "p0 is paid twice", 10],
    ["a foreign row is never compared", "notes shown", "1", "p0 is paid twice", 11],
    ["no suspicion", "notes hidden", "1", "p0 is paid twice", 11],
    ["one suspect is named", "notes hidden", "1", "p1 is paid twice", 18],
    ["an alarm stops nothing", "notes shown", "1", "p0 is paid twice", 11],
    ["a forgotten attempt is dropped", "notes shown", "1", "p0 is paid twice", 14],
    ["an intent does not expire", "notes shown", "1", "p0 is paid twice", 16],
    ["an unknown payout is ready", "notes shown", "1", "p0 is paid twice", 8],
    ["a lost answer is no payment", "notes shown", "1", "p0 is paid twice", 8],
    ["no compare-and-swap", "notes shown", "1", "p0 is paid twice", 16],
    ["an empty filter is believed", "notes shown", "1", "p0 is paid twice", 15],
    ["no guard of twins", "notes hidden", "1", "p1 is accepted by the payment of p0", 13],
    ["an unknown twin is not guarded", "notes hidden", "1", "p0 is accepted by the payment of p1", 13],
    ["a claim is as good as another", "notes shown", "2", "p0 is paid twice", 13],
    ["what was tried before is not suspected", "notes hidden", "2", "p0 is paid twice", 13]
  ] as const)('finds the bug "%s" in the scene %s with %s faults: %s', async (bug, scene, faults, broken, steps) => {
    const { code, output } = await explore("--faults", faults, "--bug", bug, "--scene", scene)
    assert.strictEqual(code, 1, output)
    assert.include(output, `${scene}: ${broken} (`)
    assert.strictEqual(output.match(/^ +\d+\. /gm)?.length, steps, output)
  })
})
