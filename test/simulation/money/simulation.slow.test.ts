/**
 * Money is never moved twice, and nobody is told that it was not moved when it was: by the emulator's own ledger, over a
 * network that seeds make unreliable.
 */
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Predicate from "effect/Predicate"
import { TestClock } from "effect/testing"
import { moneyBugs } from "../bugs.ts"
import { command } from "../command.ts"
import { type Meddling, simulate } from "./simulation.ts"
import { sumOf } from "./totals.ts"
import { writes } from "../../support/worlds/writes.ts"

const play = (seeds: number, meddling?: Meddling) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: seeds }, (_, at) => at + 1),
      (seed) => Effect.provide(simulate(seed, meddling), TestClock.layer(), { local: true })
    ),
    sumOf
  )

describe("the ledger", () => {
  it("knows every operation that changes something", () => {
    const changing = CustodyApi.operations.filter(({ safety }) => safety === "write" || safety === "keyed")
    assert.deepStrictEqual(
      writes.map(({ operation, safety }) => `${operation} ${safety}`).toSorted(),
      changing.map(({ name, safety }) => `${name} ${safety}`).toSorted()
    )
  })

  it.live("of 1,000 schedules shows each write at most once, and every uncertain end was reported", () =>
    Effect.gen(function* () {
      const sum = yield* play(1_000)
      assert.deepStrictEqual(sum.wrong, [])
      assert.strictEqual(sum.uncertainTold, sum.uncertain)
      // The schedules are worth something: all operations, and every kind of end.
      assert.strictEqual(sum.done.size, writes.length)
      assert.strictEqual(sum.doubted.size, writes.length)
      assert.isAbove(sum.uncertain, 400)
      assert.isAbove(sum.told("done"), 300)
      assert.isAbove(sum.told("notDone"), 100)
    })
  )

  it.live("repeats a schedule exactly", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 20; seed++) {
        const once = Effect.provide(simulate(seed), TestClock.layer(), { local: true })
        assert.deepStrictEqual(yield* once, yield* once)
      }
    })
  )

  it.live("shows two where a write is sent again after a reset", () =>
    Effect.gen(function* () {
      const isReset = ({ reason }: HttpClientError.HttpClientError) =>
        Predicate.hasProperty(reason.cause, "code") && reason.cause.code === "ECONNRESET"
      const sum = yield* play(500, HttpClient.retry({ times: 1, while: isReset }))
      assert.isAbove(sum.wrong.filter((line) => line.includes("carried out 2 times")).length, 5)
      // What the service itself would not do twice shows, too.
      for (const { operation } of writes.filter(({ safety }) => safety === "write")) {
        assert.isTrue(
          sum.wrong.some((line) => line.includes(`: ${operation} of `)),
          operation
        )
      }
    })
  )

  it.live("shows what was told not to be done where every failure counts as a refused connection", () =>
    Effect.gen(function* () {
      const tooSure: Meddling = HttpClient.transformResponse((exchange) =>
        Effect.mapError(exchange, ({ request }) => {
          const cause = Object.assign(new Error(), { code: "ECONNREFUSED" })
          return new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause })
          })
        })
      )
      const sum = yield* play(100, tooSure)
      assert.isAbove(sum.wrong.length, 0)
    })
  )

  it.each(Object.keys(moneyBugs))("shows within 1,000 schedules: %s", async (bug) => {
    const { code, output } = await command("money")("--seeds", "1000", "--stop", "--bug", bug)
    assert.strictEqual(code, 1, output)
    assert.match(output, /^seed \d+: /m)
  })
})
