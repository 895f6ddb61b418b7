import { CustodyEmulator } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { frontClient } from "../support/servers/dialects/front.ts"
import { mistakes, within } from "./mistakes.ts"
import { right } from "./service.ts"
import { count, play, type Setting } from "./stage.ts"

const inProcess: Setting<unknown> = {
  open: (dialect) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 1))
      const context = yield* Layer.build(
        Layer.fresh(
          CustodyEmulator.layerHttpClientWith({ durations: { pendingFor: "1 second", broadcastingFor: "1 second" } })
        )
      )
      const emulator = Context.get(context, CustodyEmulator)
      const http = frontClient(dialect)(Context.get(context, HttpClient.HttpClient))
      return { emulator, environment: emulator.environment, http }
    }),
  // Real turns of the event loop, in which the worker does what the virtual time has made due.
  rest: Effect.gen(function* () {
    for (let step = 0; step < 150; step++) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("500 millis")
    }
  })
}

type Fields = NonNullable<Parameters<typeof within>[1]["fields"]>

const withList = (fields: Fields, response: Readonly<Record<string, string>> = {}) =>
  within(["transactions.list"], { fields, response })

const withSend = (fields: Fields) => within(["transactions.send"], { fields, response: {} })

const total = ({ right, wrong }: { readonly right: number; readonly wrong: number }) => right + wrong

describe("a ledger under a mistaken contract", () => {
  it.effect("pays all payouts under the right one, once a person has confirmed the first", () =>
    Effect.gen(function* () {
      const { after, before, objections, states } = yield* play({ name: "none", contract: right }, inProcess)
      assert.deepStrictEqual(
        { after, before, objections, states },
        { before: { right: 1, wrong: 0 }, objections: [], after: { right: count, wrong: 0 }, states: { paid: count } }
      )
    })
  )

  it.effect("pays all payouts under a contract that says that the history is not sorted or filtered", () =>
    Effect.gen(function* () {
      const contract = withList({ order: "omit", from: "omit", assetId: "omit" })
      const { after, states, stopped } = yield* play({ name: "no order", contract }, inProcess)
      assert.deepStrictEqual({ after, states }, { after: { right: count, wrong: 0 }, states: { paid: count } }, stopped)
    })
  )

  it.effect.each([
    [withList({}, { to: "memo" }), "transactions.list reads note and to from one place, result.rows.memo: payouts run"],
    [withSend({ note: "omit" }), "transactions.send omits note: payouts run and Transactions.find need it"]
  ] as const)("sends nothing under a contract %j that lacks what it needs", ([contract, message]) =>
    Effect.gen(function* () {
      const { after, stopped } = yield* play({ name: "lacking", contract }, inProcess)
      assert.deepStrictEqual(after, { right: 0, wrong: 0 })
      assert.include(stopped, message)
    })
  )

  for (const mistake of mistakes) {
    it.effect(`pays one payout at most: ${mistake.name}`, () =>
      Effect.gen(function* () {
        const { after, before, objections = [], stopped } = yield* play(mistake, inProcess)
        assert.isAtMost(total(before), 1)
        assert.isAtMost(after.wrong, 1)
        // What was paid wrongly is seen by the person, or has stopped the worker.
        if (after.wrong > 0) assert.isTrue(objections.length > 0 || stopped !== undefined)
      })
    )
  }

  it.effect("pays all of them wrongly without a person, so the test above would notice", () =>
    Effect.gen(function* () {
      const { after } = yield* play(mistakes[0]!, inProcess, { risksWrongPayouts: true })
      assert.deepStrictEqual(after, { right: 0, wrong: count })
    })
  )
})
