import { assert, describe, it } from "@effect/vitest"
import { explore, scenes } from "./search.ts"

describe("the explorer of the ledger", () => {
  it("walks two workers and two payouts without notes and faults to their end, and breaks no invariant", () => {
    const { broken, isWhole, list } = explore(scenes(0)["notes hidden"]!, { depth: 60, states: 20_000 })
    assert.isUndefined(broken, list.join("\n"))
    assert.isTrue(isWhole)
  })

  it("breaks no invariant with one fault within 10 steps", () => {
    for (const scene of Object.values(scenes(1))) {
      const { broken, list } = explore(scene, { depth: 10, states: 2_000 })
      assert.isUndefined(broken, list.join("\n"))
    }
  })
})
