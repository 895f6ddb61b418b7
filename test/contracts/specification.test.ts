/** The specification's own examples in adapters: they hold, and payouts are paid once. */
import { Amount } from "@effect-custody/core"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Notice from "./notice.ts"
import * as contract from "./specification.adapters.ts"
import { accidentsCount, play } from "./stage.ts"
import { assumed, type Subject } from "./subject.ts"
import { inProcess } from "./virtual.ts"

const documented: Subject["documented"] = ({ amount, assetId, clientId, note, to }) => {
  const fields = { clientId, assetId, to, amount: Amount.format(amount), note }
  return { request: fields, row: fields }
}

const subject: Subject = {
  service: assumed,
  file: `${import.meta.dirname}/specification.adapters.ts`,
  documented,
  rowAt: ["data"],
  stateAt: "status",
  ends: { COMPLETED: "paid", REJECTED: "failed", ERROR: "failed" }
}

describe("the service of the specification, in adapters", () => {
  it.live("passes the check", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* Notice.check(subject.file))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("pays 20 payouts once each, although two answers are lost and the worker is stopped twice", () =>
    Effect.gen(function* () {
      const played = { name: "none", contract, hasAccidents: true }
      const { accidents, after, states, stopped } = yield* play(subject, played, inProcess)
      assert.deepStrictEqual(
        { accidents, after, states },
        { accidents: 4, after: { right: accidentsCount, wrong: 0 }, states: { paid: accidentsCount } },
        stopped
      )
    })
  )
})
