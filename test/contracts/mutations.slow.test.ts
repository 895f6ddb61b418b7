import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isSilent, isSilentWithoutExamples, notices } from "./notices.ts"

/** What no tool can see without an example: an error that only another field shows. */
const silent = ["no sign of success"]

describe("single mutations of right adapters", () => {
  it.live(
    "are noticed before the second payout, except a sign of errors, and right adapters are not",
    () =>
      Effect.gen(function* () {
        const all = yield* notices
        const names = (of: ReadonlyArray<(typeof all)[number]>) => of.map(({ mutation }) => mutation.name).toSorted()
        assert.deepStrictEqual(names(all.filter(isSilent)), ["none", "none", ...silent].toSorted())
        assert.isAtMost(all.filter(isSilentWithoutExamples).length - 2, 6)
        assert.strictEqual(all.length, 36 + 2)
        for (const { mutation, payout } of all) assert.isAtMost(payout?.after.wrong ?? 0, 1, mutation.name)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    600_000
  )
})
