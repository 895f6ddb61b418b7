import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Program from "../childProgram.ts"

describe("pnpm example", () => {
  it.live("pnpm example lists the examples", () =>
    Effect.gen(function* () {
      const run = yield* Program.start(["run.ts", "nothing"], {})
      assert.strictEqual(yield* run.ended, 2)
      const names = ["backend", "many-processes", "multi-tenant", "payments", "promise-world", "workflow-tests"]
      for (const name of names) assert.include(yield* run.said, name)
    })
  )

  it.live("pnpm example gives an example an emulator with a funded client, and stops with the example", () =>
    Effect.gen(function* () {
      const run = yield* Program.start(["run.ts", "backend"], { PORT: "0" })
      const url = `http://localhost:${yield* run.saying(/Listening on http:\/\/\S+:(\d+)/)}`
      const order = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: "12.50" }
      const paid = yield* Program.request(`${url}/payouts/p-1`, "PUT", order)
      assert.strictEqual(paid.status, 201)
      yield* run.kill("SIGTERM")
      yield* run.ended
      assert.isTrue(yield* Effect.promise(() => fetchFails(`${url}/health`)))
    })
  )
})

const fetchFails = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true
  )
