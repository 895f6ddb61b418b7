import { Adapter } from "@effect-custody/contract"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { paysOneAtMost } from "./mistaken.ts"
import { mistakesOf } from "./mistakes.ts"
import * as Mutated from "./mutated.ts"
import { payments } from "./service.ts"
import type { Subject } from "./subject.ts"
import { transfers } from "./transfers.ts"
import { inProcess } from "./virtual.ts"
import { accidentsCount, count, play } from "./stage.ts"

const subjects: ReadonlyArray<Subject> = [payments, transfers]

const load = (file: string) => Effect.promise(() => Mutated.load(file))

describe.each(subjects)("a ledger of $service.name under mistaken adapters", (subject) => {
  const mistakes = mistakesOf(subject)

  it.effect("pays all payouts under the right ones, once a person has confirmed the first", () =>
    Effect.gen(function* () {
      const contract = yield* load(subject.file)
      const { after, before, objections, states } = yield* play(subject, { name: "none", contract }, inProcess)
      assert.deepStrictEqual(
        { after, before, objections, states },
        { before: { right: 1, wrong: 0 }, objections: [], after: { right: count, wrong: 0 }, states: { paid: count } }
      )
    })
  )

  it.effect("pays 20 payouts once each, although two answers are lost and the worker is stopped twice", () =>
    Effect.gen(function* () {
      const contract = yield* load(subject.file)
      const played = { name: "none", contract, hasAccidents: true }
      const { accidents, after, states, stopped } = yield* play(subject, played, inProcess)
      assert.deepStrictEqual(
        { accidents, after, states },
        { accidents: 4, after: { right: accidentsCount, wrong: 0 }, states: { paid: accidentsCount } },
        stopped
      )
    })
  )

  it.effect("pays all payouts under adapters that say that the history is not sorted or filtered", () =>
    Effect.gen(function* () {
      const unsorted = subject === payments ? ["order,\n          sort:", "sort:"] : ["dir: order,\n          ", ""]
      const file = Mutated.write({
        name: "no order",
        subject,
        changes: [
          [`without: ["type"`, `without: ["order", "from", "assetId", "type"`],
          [unsorted[0]!, unsorted[1]!],
          ["{ assetId, clientId, from, order, ", "{ clientId, "],
          ...(subject === payments
            ? ([
                ["currency: assetId && currencies.write(assetId),\n          state", "state"],
                ["created_after: seconds(from, Math.floor),\n          ", ""],
                ["&created_after=1795773600", ""]
              ] as const)
            : ([
                ["unit: assetId && currencies.write(assetId),\n          state", "state"],
                ["since: seconds(from, Math.floor),\n          ", ""],
                ["&since=1795773600", ""]
              ] as const)),
          [`status: "COMPLETED", from: record.createdAt,`, `status: "COMPLETED",`]
        ]
      })
      const contract = yield* load(file)
      const { after, states, stopped } = yield* play(subject, { name: "no order", contract }, inProcess)
      assert.deepStrictEqual({ after, states }, { after: { right: count, wrong: 0 }, states: { paid: count } }, stopped)
    })
  )

  it.effect("sends nothing under adapters without a note, which payouts need", () =>
    Effect.gen(function* () {
      const theirs = subject === payments ? "memo" : "reference"
      const file = Mutated.write({
        name: "no note",
        subject,
        changes: [
          [`without: ["networkId"]`, `without: ["networkId", "note"]`],
          ["clientId, note, to }) =>", "clientId, to }) =>"],
          [`,\n          ${theirs}: note`, ""],
          [`,\n      note: body.${theirs}`, ""],
          [`amount: Amount.of("1.50"), note: "payout-1" }`, `amount: Amount.of("1.50") }`]
        ]
      })
      const contract = yield* load(file)
      const { after, stopped = "" } = yield* play(subject, { name: "lacking", contract }, inProcess)
      assert.deepStrictEqual(after, { right: 0, wrong: 0 })
      assert.match(stopped, /transactions\.send omits note: payouts run and Transactions\.find need it/)
    })
  )

  // Of the second service, the slow tests try them.
  if (subject === payments) paysOneAtMost(subject)

  it.effect.each(mistakes.filter(({ name }) => name !== "local times without a zone"))(
    "are refused by the document's examples: $name",
    (mistake) =>
      Effect.gen(function* () {
        const { adapters, service } = yield* load(Mutated.write(mistake))
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(Adapter.layer(adapters, service))))
        assert.include(String(exit), "ConfigurationInvalid")
      })
  )

  it.effect("pays all of them wrongly without a person, so the test above would notice", () =>
    Effect.gen(function* () {
      const contract = yield* load(Mutated.write(mistakes[4]!))
      const { after } = yield* play(subject, { name: "another account", contract }, inProcess, {
        risksWrongPayouts: true
      })
      assert.deepStrictEqual(after, { right: 0, wrong: count })
    })
  )
})
