import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Program from "../childProgram.ts"

describe("pnpm example", () => {
  it.live("pnpm example lists the examples", () =>
    Effect.gen(function* () {
      const run = yield* Program.start(["run.ts", "nothing"], {})
      assert.strictEqual(yield* run.ended, 2)
      const names = ["many-processes", "multi-tenant", "payments", "promise-world", "workflow-tests"]
      for (const name of names) assert.include(yield* run.said, name)
    })
  )

  it.live("pnpm example gives an example an emulator with a funded client, and ends with the example", () =>
    Effect.gen(function* () {
      const run = yield* Program.start(["run.ts", "payments"], {})
      assert.strictEqual(yield* run.ended, 0)
      assert.match(yield* run.said, /alice has \S+ USDC/)
    })
  )
})
