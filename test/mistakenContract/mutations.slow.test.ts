import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isSilent, notices } from "./notices.ts"

/** What no tool can see: an error that only another field shows is a success without such an entry. */
const silent = ["defaults: errors.when = removed"]

describe("single mutations of right contracts", () => {
  it.live(
    "are noticed before the second payout, except a sign of errors, and a right contract is not",
    () =>
      Effect.gen(function* () {
        const all = yield* notices
        const unnoticed = all.filter(isSilent).map(({ mutation }) => mutation.name)
        assert.deepStrictEqual(unnoticed.toSorted(), [...silent, "none", "none"])
        assert.strictEqual(all.length, 36 + 2)
        for (const { mutation, payout } of all) assert.isAtMost(payout?.after.wrong ?? 0, 1, mutation.name)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    600_000
  )
})
