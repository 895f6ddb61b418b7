import { assert, describe, it } from "@effect/vitest"
import { command } from "../../support/simulation/command.ts"
import { sessionBugs } from "./bugs.ts"

const simulate = command("session/simulation")

describe("the simulation of sessions", () => {
  it("the simulation breaks no invariant in 2,000 seeds", async () => {
    const { code, output } = await simulate("--seeds", "2000")
    assert.strictEqual(code, 0, output)
    assert.include(output, "2000 seeds from 1")
  })

  // The rarest bugs appear once in about 1,200 seeds.
  it.concurrent.each(Object.keys(sessionBugs))('the simulation finds the bug "%s" within 10,000 seeds', async (bug) => {
    const { code, output } = await simulate("--seeds", "10000", "--workers", "1", "--stop", "--bug", bug)
    assert.strictEqual(code, 1, output)
    assert.match(output, /^seed \d+: I\d/m)
    assert.match(output, /shrunk to/)
  })

  it("the simulation replays a seed exactly", async () => {
    const [first, again] = await Promise.all([simulate("--seed", "253"), simulate("--seed", "253")])
    // The system draws the owners of leases at random. They decide nothing.
    const comparable = (output: string) =>
      output.replaceAll(/lease [0-9a-f]{4}/g, "lease").replaceAll(/in [\d.]+ s \(\d+/g, "in")
    assert.include(first.output, "boots")
    assert.strictEqual(comparable(first.output), comparable(again.output))
  })

  it("the simulation refuses an invalid number of seeds", async () => {
    const { code, output } = await simulate("--seeds", "many")
    assert.strictEqual(code, 2)
    assert.include(output, "--seeds must be a whole number")
  })
})
