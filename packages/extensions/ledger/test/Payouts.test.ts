import { Payouts } from "@effect-custody/ledger"
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { inside, temporaryDirectory } from "../../../../test/support/servers/sqlitePlace.ts"
import { ledgerConformance } from "./suites/ledgerConformance.ts"

/** Every statement of this file's ledgers. */
const statements = new Set<string>()
beforeEach(() => {
  vi.spyOn(DatabaseSync.prototype, "prepare")
})
afterEach(() => {
  const { calls } = vi.mocked(DatabaseSync.prototype).prepare.mock
  for (const [statement] of calls) statements.add(statement.replace(/\s+/g, " ").trim())
})

const place = Effect.map(temporaryDirectory, (directory) => Path.join(directory, "ledger.db"))

ledgerConformance(
  "SQLite",
  Effect.map(place, (filename) => LedgerSqlite.layer({ filename }))
)

/** The steps of SQLite's plan for a statement. */
const planOf = (database: DatabaseSync, statement: string): ReadonlyArray<string> =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${statement}`)
    .all()
    .map(({ detail }) => String(detail))

describe("the statements of the tests above", () => {
  it.live("read every payout only to count the whole ledger, to list its batches, and to compare a file with it", () =>
    Effect.gen(function* () {
      const filename = yield* place
      yield* Layer.build(Payouts.layer().pipe(Layer.provide(LedgerSqlite.layer({ filename }))))
      const plans = inside(filename, (database) =>
        [...statements]
          .filter((statement) => /^(SELECT|INSERT|UPDATE|DELETE|WITH) .*\b(archived_)?payouts\b/.test(statement))
          .map((statement) => [statement, planOf(database, statement)] as const)
      )
      // These indexes have only payouts that have not ended.
      const readsAll = (step: string) =>
        /^SCAN (payouts|archived_payouts|p|o|counted USING)\b/.test(step) &&
        !/_(alarmed|doubtful|ready|waiting)/.test(step)
      assert.sameMembers(
        plans.filter(([, plan]) => plan.some(readsAll)).map(([statement]) => statement.slice(0, 50)),
        [
          "SELECT twin, max(reference) AS reference FROM (SEL",
          "SELECT p.reference, o.reference AS other FROM payo",
          "SELECT '' AS batch, state, count(*) AS payouts FRO",
          "SELECT p.batch, p.state, count(*) AS payouts FROM "
        ]
      )
      const used = plans.flatMap(([, plan]) => plan.flatMap((step) => /INDEX (payouts_\w+)/.exec(step)?.[1] ?? []))
      assert.deepStrictEqual(
        [...new Set(used)].toSorted(),
        ["alarmed", "batch", "doubtful", "guard", "ready", "stopped", "transaction", "unsent", "waiting"].map(
          (of) => `payouts_${of}`
        )
      )
    })
  )
})
