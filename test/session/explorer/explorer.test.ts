import { assert, describe, it } from "@effect/vitest"
import { scenes } from "./scenes.ts"
import { explore } from "./search.ts"

describe("the explorer", () => {
  it("the explorer breaks no invariant with one fault within 14 steps", () => {
    for (const scene of Object.values(scenes(2, 1))) {
      const { broken, list } = explore(scene, { depth: 14, states: 4_000 })
      assert.isUndefined(broken, list.join("\n"))
    }
  })

  it("the explorer walks a world without faults to its end", () => {
    const { broken, isWhole } = explore(scenes(2, 0)["refresh"]!, { depth: 60, states: 20_000 })
    assert.isUndefined(broken)
    assert.isTrue(isWhole)
  })
})
