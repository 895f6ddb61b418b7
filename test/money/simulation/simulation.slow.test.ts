import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Predicate from "effect/Predicate"
import { TestClock } from "effect/testing"
import { command } from "../../support/simulation/command.ts"
import { moneyBugs } from "./bugs.ts"
import { type Middleware, simulate } from "./simulation.ts"
import { totals } from "./totals.ts"
import { writes } from "../../support/worlds/writes.ts"

const play = (seeds: number, middleware?: Middleware) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: seeds }, (_, at) => at + 1),
      (seed) => Effect.provide(simulate(seed, middleware), TestClock.layer(), { local: true })
    ),
    totals
  )

describe("the simulation of money", () => {
  it("the simulation covers every operation that changes something", () => {
    const changing = CustodyApi.operations.filter(({ safety }) => safety === "write" || safety === "keyed")
    assert.deepStrictEqual(
      writes.map(({ operation, safety }) => `${operation} ${safety}`).toSorted(),
      changing.map(({ operation, safety }) => `${operation} ${safety}`).toSorted()
    )
  })

  it.live("the ledger of 1,000 schedules has each write at most once, and every uncertain end is reported", () =>
    Effect.gen(function* () {
      const total = yield* play(1_000)
      assert.deepStrictEqual(total.mistakes, [])
      assert.strictEqual(total.uncertainReported, total.uncertain)
      // The schedules cover all operations and every kind of end.
      assert.strictEqual(total.done.size, writes.length)
      assert.strictEqual(total.doubted.size, writes.length)
      assert.isAbove(total.uncertain, 400)
      assert.isAbove(total.withResult("done"), 300)
      assert.isAbove(total.withResult("notDone"), 100)
    })
  )

  it.live("the ledger has a write twice if a client sends it again after a reset", () =>
    Effect.gen(function* () {
      const isReset = ({ reason }: HttpClientError.HttpClientError) =>
        Predicate.hasProperty(reason.cause, "code") && reason.cause.code === "ECONNRESET"
      const total = yield* play(500, HttpClient.retry({ times: 1, while: isReset }))
      assert.isAbove(total.mistakes.filter((line) => line.includes("carried out 2 times")).length, 5)
      for (const { operation } of writes.filter(({ safety }) => safety === "write")) {
        assert.isTrue(
          total.mistakes.some((line) => line.includes(`: ${operation} of `)),
          operation
        )
      }
    })
  )

  it.concurrent.each(Object.keys(moneyBugs))(
    'the simulation finds the bug "%s" within 1,000 schedules',
    async (bug) => {
      const { code, output } = await command("money/simulation")(
        "--seeds",
        "1000",
        "--workers",
        "1",
        "--stop",
        "--bug",
        bug
      )
      assert.strictEqual(code, 1, output)
      assert.match(output, /^seed \d+: /m)
    }
  )
})
