import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import * as Path from "node:path"
import { promisify } from "node:util"
import type { Report } from "../../support/worlds/manyTenants.ts"

const tenants = 10_000
const atOnce = 100

describe("many tenants in a process of their own", () => {
  it.live(
    "46 · 10,000 tenants: no dead session and no slow store delays another, no token crosses, memory is bounded",
    () =>
      Effect.gen(function* () {
        const program = Path.join(import.meta.dirname, "../../support/worlds/manyTenants.ts")
        // New objects are given room: without it most of the time goes to looking through them.
        const options = ["--expose-gc", "--max-semi-space-size=64"]
        const { stdout } = yield* Effect.promise(() =>
          promisify(execFile)(process.execPath, [...options, program, `${tenants}`, `${atOnce}`])
        )
        const { crossed, failed, refreshes, waves } = JSON.parse(stdout.trim().split("\n").at(-1)!) as Report
        assert.deepStrictEqual({ crossed, failed }, { crossed: 0, failed: 0 })
        // Those of both waves that were watched, once each, and once the one that was lost.
        assert.strictEqual(refreshes, 2 * atOnce + 1)
        for (const { ends, waited } of waves) {
          // Time stands still until everybody has their answer: they wait for nothing, while the slow store still does.
          assert.strictEqual(waited, 0)
          assert.deepStrictEqual(ends, ["SessionLost", "NoSession", "waits", "TokenStoreError"])
        }
        const [second, last] = waves
        assert.lengthOf(waves, 2)
        // Nothing is left of a client that was released, and 10,000 of them leave no more than 200 do.
        assert.isBelow(second!.inUse - second!.released, 0.2 * atOnce)
        assert.isBelow(last!.inUse - second!.inUse, 10)
        assert.isBelow(last!.released - second!.released, 10)
      })
  )
})
