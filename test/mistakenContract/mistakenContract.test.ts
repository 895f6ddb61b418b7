import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mistakesOf, within } from "./mistakes.ts"
import { payments } from "./service.ts"
import type { Subject } from "./subject.ts"
import { transfers } from "./transfers.ts"
import { inProcess } from "./virtual.ts"
import { count, play } from "./stage.ts"

const subjects: ReadonlyArray<Subject> = [payments, transfers]

const total = ({ right, wrong }: { readonly right: number; readonly wrong: number }) => right + wrong

describe.each(subjects)("a ledger of $service.name under a mistaken contract", (subject) => {
  const { right } = subject
  const mistakes = mistakesOf(subject)

  it.effect("pays all payouts under the right one, once a person has confirmed the first", () =>
    Effect.gen(function* () {
      const { after, before, objections, states } = yield* play(subject, { name: "none", contract: right }, inProcess)
      assert.deepStrictEqual(
        { after, before, objections, states },
        { before: { right: 1, wrong: 0 }, objections: [], after: { right: count, wrong: 0 }, states: { paid: count } }
      )
    })
  )

  it.effect("pays all payouts under a contract that says that the history is not sorted or filtered", () =>
    Effect.gen(function* () {
      const fields = { order: "omit", from: "omit", assetId: "omit" }
      const contract = within(right, ["transactions.list"], { fields })
      const { after, states, stopped } = yield* play(subject, { name: "no order", contract }, inProcess)
      assert.deepStrictEqual({ after, states }, { after: { right: count, wrong: 0 }, states: { paid: count } }, stopped)
    })
  )

  it.effect.each([
    [
      within(right, ["transactions.list"], { response: { to: "x", note: "x" } }),
      /transactions\.list reads note and to from one place, .*x: payouts run/
    ],
    [
      within(right, ["transactions.send"], { fields: { note: "omit" } }),
      /transactions\.send omits note: payouts run and Transactions\.find need it/
    ]
  ] as const)("sends nothing under a contract that lacks what it needs (%#)", ([contract, message]) =>
    Effect.gen(function* () {
      const { after, stopped = "" } = yield* play(subject, { name: "lacking", contract }, inProcess)
      assert.deepStrictEqual(after, { right: 0, wrong: 0 })
      assert.match(stopped, message)
    })
  )

  for (const mistake of mistakes) {
    it.effect(`pays one payout at most: ${mistake.name}`, () =>
      Effect.gen(function* () {
        const { after, before, objections = [], stopped } = yield* play(subject, mistake, inProcess)
        assert.isAtMost(total(before), 1)
        assert.isAtMost(after.wrong, 1)
        // What was paid wrongly is seen by the person, or has stopped the worker.
        if (after.wrong > 0) assert.isTrue(objections.length > 0 || stopped !== undefined)
      })
    )
  }

  it.effect("pays all of them wrongly without a person, so the test above would notice", () =>
    Effect.gen(function* () {
      const { after } = yield* play(subject, mistakes[4]!, inProcess, { risksWrongPayouts: true })
      assert.deepStrictEqual(after, { right: 0, wrong: count })
    })
  )
})
