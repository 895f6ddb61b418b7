/** Runs the grants of `docs/threat-model.md` on PostgreSQL, and a payout through its roles. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { at, emptyDatabase, hasPostgres, postgresServer, query } from "../support/servers/postgres.ts"
import { open, orders, payments, person, service, until, withLedger } from "../support/worlds/ledgerWorld.ts"

const page = readFileSync(Path.resolve(import.meta.dirname, "../../docs/threat-model.md"), "utf8")
const statements = /```sql\n([^]*?)```/
  .exec(page)![1]!
  .split(";")
  .filter((statement) => statement.trim() !== "")

describe.skipIf(!hasPostgres)("the grants of the ledger's tables", () => {
  it.live("let each role do its part, and nothing else", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase(yield* postgresServer)
      const run = (user: string | undefined, ...all: ReadonlyArray<string>) =>
        query(user === undefined ? url : at(url, { user }), (sql) =>
          Effect.forEach(all, (statement) => sql.unsafe(statement), { discard: true })
        )
      const placeOf = (user: string | undefined) =>
        PgClient.layer({ url: Redacted.make(user === undefined ? url : at(url, { user })), maxConnections: 3 })

      // The owner creates the tables, and goes.
      yield* Effect.scoped(open(placeOf(undefined)))
      const { password } = new URL(url)
      const members = ["submit", "work", "read", "archive"].map(
        (role) => `CREATE ROLE test_${role} LOGIN PASSWORD '${password}' IN ROLE ledger_${role}`
      )
      yield* run(undefined, ...statements, ...members)

      const submitter = withLedger(yield* open(placeOf("test_submit")))
      const work = withLedger(yield* open(placeOf("test_work"), { finalAfter: 0 }))
      const auditor = withLedger(yield* open(placeOf("test_read")))
      const { fund } = yield* CustodyEmulator
      yield* fund({ clientId: "alice", assetId: "usdc", amount: "1000" })
      yield* submitter(Payouts.submit({ batch: "june", by: "ann", orders: orders(5) }))
      const [one] = orders(1)
      const cancelled = { ...one!, reference: "cancelled", to: "0xc" }
      yield* submitter(Payouts.submit({ batch: "july", by: "ann", orders: [cancelled] }))
      assert.strictEqual(yield* work(Payouts.cancel("cancelled", person)), 1)
      const worker = yield* Effect.forkScoped(work(Payouts.run))
      yield* until(Effect.map(auditor(Payouts.progress("june")), ({ states }) => states.paid === 5)).pipe(
        Effect.raceFirst(Effect.asVoid(Fiber.join(worker)))
      )
      assert.strictEqual((yield* submitter(Payouts.pay("payout-1", one!))).state, "paid")
      assert.isAbove((yield* auditor(Payouts.events("payout-1"))).length, 2)
      assert.isAbove((yield* auditor(Payouts.changes())).length, 10)
      assert.strictEqual(yield* payments, 5)

      const archiver = withLedger(yield* open(placeOf("test_archive"), { finalAfter: 0 }))
      const before = DateTime.add(yield* DateTime.now, { days: 1 })
      const archived = yield* archiver(Payouts.archive({ before }))
      assert.isAtLeast(archived, 5)
      assert.strictEqual(yield* submitter(Payouts.submit({ batch: "again", by: "ann", orders: orders(5) })), 0)
      assert.strictEqual((yield* submitter(Payouts.pay("payout-1", one!))).state, "paid")
      assert.isAbove((yield* auditor(Payouts.events("payout-1"))).length, 2)

      const refused: ReadonlyArray<readonly [string, string]> = [
        ...["submit", "work", "read"].flatMap((role): ReadonlyArray<readonly [string, string]> => [
          [role, "UPDATE payout_events SET who = 'another'"],
          [role, "DELETE FROM payout_events"],
          [role, "TRUNCATE payout_events"],
          [role, "DELETE FROM payouts"],
          [role, "ALTER TABLE payouts ADD COLUMN mine TEXT"],
          [role, "DROP TABLE payout_events"]
        ]),
        ...["submit", "work"].flatMap((role) =>
          ["client_id", "asset_id", "network_id", "destination", "amount", "note", "batch", "submitted_by"].map(
            (column): readonly [string, string] => [role, `UPDATE payouts SET ${column} = 'another'`]
          )
        ),
        ["submit", "UPDATE payout_meta SET value = ''"],
        ["submit", "UPDATE payout_gates SET confirmed_at = 0"],
        ["work", "INSERT INTO payouts SELECT * FROM payouts"],
        ["work", "UPDATE archived_payouts SET state = 'refused'"],
        ["submit", "DELETE FROM archived_payouts"],
        ["work", "DELETE FROM archived_events"],
        ["archive", "INSERT INTO payouts SELECT * FROM payouts"],
        ["archive", "DELETE FROM archived_payouts"],
        ["archive", "UPDATE payouts SET state = 'ready'"],
        ["archive", "UPDATE payout_events SET who = 'another'"],
        ["read", "UPDATE payouts SET state = 'ready'"],
        [
          "read",
          "INSERT INTO payout_events (reference, attempt, at, who, step, state) VALUES ('x', 0, 0, 'x', 'paid', 'paid')"
        ]
      ]
      for (const [role, statement] of refused) {
        const exit = yield* Effect.exit(run(`test_${role}`, statement))
        assert.isTrue(Exit.isFailure(exit), `${role}: ${statement}`)
        assert.match(JSON.stringify(exit), /42501/, `${role}: ${statement}`)
      }
      const exit = yield* Effect.exit(auditor(Payouts.submit({ batch: "b", by: "ann", orders: orders(6).slice(5) })))
      assert.isTrue(Exit.isFailure(exit))
    }).pipe(Effect.scoped, Effect.provide(service(), { local: true }))
  )
})
