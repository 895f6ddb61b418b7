import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Program from "../support/childProgram.ts"

describe("pnpm example", () => {
  it.live("pnpm example lists the examples", () =>
    Effect.gen(function* () {
      const run = yield* Program.start(["run.ts", "nothing"], {})
      assert.strictEqual(yield* run.ended, 2)
      const names = ["multi-tenant", "retry-policies", "swap-the-layer", "token-rotation", "typed-errors", "workflows"]
      for (const name of names) assert.include(yield* run.said, name)
    })
  )

  it.live.each([
    ["typed-errors", /Nobody is not a client/],
    ["retry-policies", /A payout under the program's policy: 1 requests, OutcomeUnknown/],
    ["payouts", /The service made 1 payment/]
  ] as const)("the example %s says what it shows", ([name, says]) =>
    Effect.gen(function* () {
      const run = yield* Program.start(["run.ts", name], {})
      assert.strictEqual(yield* run.ended, 0, yield* run.said)
      assert.match(yield* run.said, says)
    })
  )

  it.live("pnpm example gives an example an emulator with a funded client, and ends with the example", () =>
    Effect.gen(function* () {
      const run = yield* Program.start(["run.ts", "workflows"], {})
      assert.strictEqual(yield* run.ended, 0)
      assert.match(yield* run.said, /alice has \S+ USDC/)
    })
  )
})
