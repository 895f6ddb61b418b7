import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { command } from "../../support/simulation/command.ts"

const explore = command("session/explorer")
const readme = readFileSync(new URL("README.md", import.meta.url), "utf8")
const rows = [...readme.matchAll(/\((I\d), (\d+) steps\) \| `([^`]+)`, `([^`]+)`, (\d) \|/g)].map(
  ([, invariant, steps, bug, scene, faults]) => [bug!, scene!, faults!, invariant!, Number(steps)] as const
)

describe("the explorer", () => {
  it("the table of the README has eight rows", () => assert.lengthOf(rows, 8))

  it.concurrent.each([
    ...rows,
    ["no re-read", "refresh", "1", "I1", 7],
    ["loser deletes", "refresh", "1", "I4", 13]
  ] as const)(
    'the explorer finds the bug "%s" in the scene %s with %s faults',
    async (bug, scene, faults, invariant, steps) => {
      const { code, output } = await explore("--bug", bug, "--scene", scene, "--faults", faults)
      assert.strictEqual(code, 1, output)
      assert.include(output, `: ${invariant}: `)
      assert.strictEqual(output.match(/^ +\d+\. /gm)?.length, steps, output)
    }
  )
})
