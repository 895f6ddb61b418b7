/** The tests that a ledger pays one payout at most under each mistake in a service's adapters. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mistakesOf } from "./mistakes.ts"
import * as Mutated from "./mutated.ts"
import { play } from "./stage.ts"
import type { Subject } from "./subject.ts"
import { inProcess } from "./virtual.ts"

export const paysOneAtMost = (subject: Subject): void => {
  for (const mistake of mistakesOf(subject)) {
    it.effect(`pays one payout at most: ${mistake.name}`, () =>
      Effect.gen(function* () {
        const contract = yield* Effect.promise(() => Mutated.load(Mutated.write(mistake)))
        const played = yield* Effect.exit(play(subject, { ...mistake, contract }, inProcess))
        // Refused with the first example: the way back does not find the input again, or a page is not sent.
        if (played._tag === "Failure") {
          assert.match(String(played), /would not be sent as it is given|the adapter sends no page/)
          return
        }
        const { after, before, objections = [], stopped } = played.value
        assert.isAtMost(before.right + before.wrong, 1)
        assert.isAtMost(after.wrong, 1)
        // What was paid wrongly is seen by the person, or has stopped the worker.
        if (after.wrong > 0) assert.isTrue(objections.length > 0 || stopped !== undefined)
      })
    )
  }
}
