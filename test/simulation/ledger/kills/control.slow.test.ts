import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { killAfterPayment } from "./control.ts"

describe("a process that is killed after the service has paid, and before it learns so", () => {
  for (const how of ["activity", "queue"] as const) {
    it.live(`pays twice as a bare ${how}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* killAfterPayment({ store: "sqlite", how })).twice, 1)
      })
    )
  }
})
