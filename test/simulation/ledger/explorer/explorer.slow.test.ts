import { assert, describe, it } from "@effect/vitest"
import { command } from "../../command.ts"

const explore = command("ledger/explorer")

describe("the explorer of the ledger", () => {
  it("walks twins with one fault to their end, and breaks no invariant", async () => {
    const { code, output } = await explore("--faults", "1", "--scene", "notes")
    assert.strictEqual(code, 0, output)
    assert.lengthOf(output.match(/no invariant can be broken/g) ?? [], 2, output)
  })

  it.concurrent.each([
    ["an intent does not expire", "notes shown", "p0 is paid twice", 16],
    ["an unknown payout is ready", "notes shown", "p0 is paid twice", 8],
    ["a lost answer is no payment", "notes shown", "p0 is paid twice", 8],
    ["no compare-and-swap", "notes shown", "p0 is paid twice", 16],
    ["an empty filter is believed", "notes shown", "p0 is paid twice", 15],
    ["no guard of twins", "notes hidden", "p1 is accepted by the payment of p0", 13],
    ["an unknown twin is not guarded", "notes hidden", "p0 is accepted by the payment of p1", 13]
  ] as const)('finds the bug "%s" in the scene %s: %s', async (bug, scene, broken, steps) => {
    const { code, output } = await explore("--bug", bug, "--scene", scene)
    assert.strictEqual(code, 1, output)
    assert.include(output, `${scene}: ${broken} (`)
    assert.strictEqual(output.match(/^ +\d+\. /gm)?.length, steps, output)
  })
})
