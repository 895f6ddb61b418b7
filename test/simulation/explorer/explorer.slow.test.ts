/** The explorer finds the planted bugs that lie in what it models, each by a shortest list. */
import { assert, describe, it } from "@effect/vitest"
import { command } from "../command.ts"

const explore = command("explorer")

describe("the explorer", () => {
  it.each([
    ["no re-read", "refresh", "1"],
    ["publish first", "refresh", "1"],
    ["loser deletes", "refresh", "1"],
    ["taken over without a challenge", "refresh", "2"],
    ["a claim burns the key", "start and end", "1"],
    ["claims are not withdrawn", "start and end", "1"]
  ])("finds: %s", async (bug, scene, faults) => {
    const { code, output } = await explore("--bug", bug, "--scene", scene, "--faults", faults)
    assert.strictEqual(code, 1, output)
    assert.match(output, /: I\d: /)
    assert.match(output, /^ {2}1\. /m)
  })
})
