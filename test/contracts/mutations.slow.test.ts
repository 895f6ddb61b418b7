import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Notice from "./notice.ts"
import { isSilent, isSilentWithoutExamples, notices } from "./notices.ts"
import { durations } from "./sockets.ts"
import { assumed } from "./subject.ts"

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

it.live("a probe of the service of the specification finds nothing in its adapters", () =>
  Effect.gen(function* () {
    const service = yield* Notice.openService({ service: assumed })
    const { notice, said } = yield* Notice.probe(service, `${import.meta.dirname}/specification.adapters.ts`)
    assert.isUndefined(notice, said)
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.merge(NodeServices.layer, Layer.fresh(CustodyEmulator.layerServer({ durations }))))
  )
)
